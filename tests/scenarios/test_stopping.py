"""Work ends when people want it to, fails in the open, and lives through a restart of the bot."""

from __future__ import annotations

import pytest

from bot.clock import MINUTE
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.work import WorkState
from tests.scenarios import processes
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

TRIGGER = "run:work-issue"
FAMILY = f"{RECORD}; sleep 3600 & setsid sleep 3600 & wait"
"""An agent with children, one of which has left its session."""
OWNED = ("state:", "hold:", "run:")


async def _clean(thread: Thread) -> bool:
    return not [name for name in await thread.labels() if name.startswith(OWNED)]


@behaves(FAMILY)
@pytest.mark.parametrize("how", ["label", "close", "command"])
async def test_what_runs_is_stopped_with_all_its_processes(stage: Stage, how: str) -> None:
    # ag-F01
    thread = await stage.begin()
    await stage.at_work(thread)
    assert processes.runs(stage.directory) != []
    await _stop(stage, thread, how)
    await stage.ended(thread)
    await stage.until("stopped", lambda: _nothing_runs(stage))
    assert await _clean(thread)
    (sticky,) = await stage.ours(thread)
    assert f"**Cancelled** by @\u200b{MAINTAINER}" in sticky
    stage.clock.advance(60 * MINUTE)
    await stage.settle()
    assert runs(stage.directory) <= 1
    assert len(await stage.works(thread)) == 1


async def _stop(stage: Stage, thread: Thread, how: str) -> None:
    match how:
        case "label":
            await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=MAINTAINER)
        case "close":
            await stage.tracker.close(REPOSITORY, thread.number, by=MAINTAINER)
        case _:
            await stage.say(thread, "/cancel not now")


async def _nothing_runs(stage: Stage) -> bool:
    return processes.runs(stage.directory) == []


@silent_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize("how", ["label", "close", "command"])
async def test_what_is_held_is_cancelled_and_clean(stage: Stage, how: str) -> None:
    # ag-F01
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await _stop(stage, thread, how)
    await stage.ended(thread)
    assert await _clean(thread)
    assert await thread.says("Not needed any more")
    await stage.say(thread, "/approve")
    await stage.settle()
    assert runs(stage.directory) == 0


@behaves(FAMILY)
async def test_an_issue_that_is_gone_ends_its_work(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.settle()
    await _move_away(stage, thread)
    if stage.webhooks:
        (opened,) = await stage.deliveries("issues", "opened")
        assert (await stage.post(opened, action="transferred")).status_code == 202
    await stage.ended(thread)
    await stage.until("stopped", lambda: _nothing_runs(stage))
    (work,) = await stage.works(thread)
    assert work.state is WorkState.CANCELLED
    assert "transferred or deleted" in work.reason
    parked = await stage.up.store.read(lambda tx: tx.threads.parked())
    assert [each.parked for each in parked] == ["the thread is gone"]


async def _move_away(stage: Stage, thread: Thread) -> None:
    """Make an issue unknown: it is not listed any more, and not found at its old address."""
    stage.faults.refuse("GET", rf"/repos/acme/greeter/issues/{thread.number}(/.*)?", status=404)
    doorway, stage.doorway.app = stage.doorway.app, None
    await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=DEVELOPER)
    await stage.tracker.deliver_pending()
    stage.doorway.app = doorway


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_an_issue_that_is_gone_while_it_is_held_ends_its_work(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    await _move_away(stage, thread)
    await stage.ended(thread)
    (work,) = await stage.works(thread)
    assert work.state is WorkState.CANCELLED


@webhooks_only
@behaves(f"{RECORD}; exit 3")
async def test_a_failure_is_tried_again_and_then_told_to_a_person(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.said(thread, "**Attempt 1 failed**, next at")
    (sticky,) = await stage.ours(thread)
    await stage.settle()
    assert runs(stage.directory) == 1
    stage.clock.advance(5 * MINUTE)
    await stage.said(thread, "**Attempt 2 failed**, next at")
    stage.clock.advance(5 * MINUTE)
    await stage.settle()
    assert runs(stage.directory) == 2
    stage.clock.advance(5 * MINUTE)
    await stage.said(thread, "**Stopped after 3 attempts**")
    await stage.settle()
    stage.clock.advance(60 * MINUTE)
    await stage.settle()
    assert runs(stage.directory) == 3
    sticky, told = await stage.ours(thread)
    assert "**Stopped after 3 attempts**" in sticky
    assert "**Stopped after 3 attempts**" in told
    assert "state:failed" in await thread.labels()
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    assert await _clean(thread)


# gh-W-04, gh-W-08, ag-G02, C-13
@webhooks_only
@behaves(f"{RECORD}; {AWAIT}")
@pytest.mark.parametrize("ends", ["after", "meanwhile"])
async def test_a_run_is_adopted_by_the_next_bot(scene: Stage, signal: Signal, ends: str) -> None:
    async with scene.bot():
        thread = await scene.begin()
        await scene.at_work(thread)
    assert processes.runs(scene.directory) != []
    if ends == "meanwhile":
        signal.give()
    async with scene.bot():
        if ends == "after":
            await scene.settle()
            signal.give()
        await scene.ended(thread)
        (work,) = await scene.works(thread)
        assert (work.state, work.attempts) == (WorkState.COMPLETED, 1)
        assert len(await scene.ours(thread)) == 1
    assert runs(scene.directory) == 1
    assert scene.paces == {20_000, 5_000}, "a lease is renewed when a third of it is over, and looked at more often"


@behaves(FAMILY)
async def test_a_comment_that_cannot_be_handled_keeps_nobody_from_stopping(stage: Stage) -> None:
    # ag-F01
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.settle()
    stage.clock.advance(MINUTE // 2)
    stage.faults.refuse("GET", r"/repos/acme/greeter/collaborators/\w+/permission")
    await stage.say(thread, "One more thing.")
    await stage.settle()
    assert await stage.up.store.read(lambda tx: [each.tries > 0 for each in tx.events.pending()]) == [True]
    await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=MAINTAINER)
    await stage.until("stopped", lambda: _nothing_runs(stage))
    await stage.until("clean", lambda: _clean(thread))
    stage.faults.heal()
    stage.clock.advance(10 * MINUTE)
    await stage.ended(thread)


@silent_only
@behaves(FAMILY)
async def test_what_was_called_off_while_the_bot_was_down_is_stopped(scene: Stage) -> None:
    # ag-F01
    async with scene.bot():
        thread = await scene.begin()
        await scene.at_work(thread)
    await scene.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=DEVELOPER)
    async with scene.bot():
        await scene.ended(thread)
        await scene.until("stopped", lambda: _nothing_runs(scene))
    assert await _clean(thread)
