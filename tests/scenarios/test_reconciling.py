"""What the bot missed, because it was down, or because nothing told it: it finds out by itself, and all of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from bot.clock import DAY, MINUTE
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.event import Routing
from bot.domain.hold import HoldState
from bot.domain.work import WorkState
from bot.ids import EventId, HoldId
from bot.scheduler.holds import place_operator_hold
from bot.storage.contract import Tx
from tests.scenarios import processes
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, Agent, Signal, runs
from tests.scenarios.scenes import behaves, one_slot, silent_only, webhooks_only
from tests.scenarios.stage import Stage, open_stage


# gh-W-07, gh-W-08, gh-Z-24
@silent_only
@behaves(f"{RECORD}; sleep 3600")
async def test_a_run_that_never_ends_is_timed_out_also_when_the_bot_was_down_over_its_deadline(scene: Stage) -> None:
    """Nobody holds it and nothing will ever tell of its end: its time is over, which counts, and people are told."""
    async with scene.bot():
        thread = await scene.begin()
        await scene.at_work(thread)
    scene.clock.advance(10 * MINUTE)
    async with scene.bot():
        await scene.said(thread, "timed out after 10 min")
        await scene.until("stopped", lambda: nothing_runs(scene))
        (work,) = await scene.works(thread)
        assert (work.attempts, work.failures) == (1, 1)
        await scene.say(thread, "/cancel")
        await scene.ended(thread)
    assert runs(scene.directory) == 1


async def nothing_runs(stage: Stage) -> bool:
    return processes.runs(stage.directory) == []


# gh-W-09
@one_slot
@silent_only
@behaves(f"{RECORD}; {AWAIT}")
async def test_what_a_person_holds_stays_held_over_a_restart_and_a_sweep_of_everything(
    scene: Stage, signal: Signal
) -> None:
    """Nothing at the tracker says that it is held, and nothing there can lift it."""
    async with scene.bot() as host:
        running = await scene.begin("First")
        await scene.at_work(running)
        thread = await scene.begin("Second")
        await scene.settle()
        (work,) = await scene.works(thread)
        now = scene.clock.now()
        hold, event = HoldId("hld-freeze"), EventId("evt-freeze")
        await host.store.write(
            lambda tx: place_operator_hold(
                tx, tx.works.get(work.id), hold=hold, holder="max", reason="code freeze", event=event, now=now
            )
        )
    signal.give()
    async with scene.bot():
        await scene.ended(running)
        scene.clock.advance(DAY)
        await scene.settle()
        holds = await scene.up.store.read(lambda tx: tx.holds.open(work.id))
        assert [hold.reason for hold in holds] == ["code freeze"]
        assert runs(scene.directory) == 1
        await scene.tracker.unlabel(REPOSITORY, thread.number, "run:work-issue", by=DEVELOPER)
        await scene.ended(thread)


# gh-W-12, gh-W-13
@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_what_was_closed_while_the_bot_was_down_is_let_go_and_never_started(scene: Stage) -> None:
    """It was approved first and closed then; the start looks at what is true now."""
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        await scene.settle()
    await scene.say(thread, "/approve")
    await scene.tracker.close(REPOSITORY, thread.number, by=MAINTAINER)
    async with scene.bot():
        await scene.ended(thread)
        (work,) = await scene.works(thread)
        assert work.state is WorkState.CANCELLED
        holds = await scene.up.store.read(lambda tx: tx.holds.of_work(work.id))
        assert HoldState.OPEN not in {hold.state for hold in holds}
        assert not [name for name in await thread.labels() if name.startswith(("hold:", "state:"))]
    assert runs(scene.directory) == 0


# gh-W-13, gh-W-15, gh-I-03
@one_slot
@webhooks_only
@behaves(f"{RECORD}; {AWAIT}")
async def test_the_next_in_turn_starts_when_the_first_was_closed_without_a_word(stage: Stage, signal: Signal) -> None:
    running = await stage.begin("First")
    await stage.at_work(running)
    closed, waiting = await stage.begin("Second"), await stage.begin("Third")
    await stage.settle()
    with_webhooks, stage.doorway.app = stage.doorway.app, None
    await stage.tracker.close(REPOSITORY, closed.number, by=MAINTAINER)
    await stage.tracker.deliver_pending()
    stage.doorway.app = with_webhooks
    signal.give()
    await stage.ended(running)
    await stage.at_work(waiting)
    signal.give()
    await stage.ended(waiting)
    await stage.ended(closed)
    (work,) = await stage.works(closed)
    assert (work.state, work.attempts) == (WorkState.CANCELLED, 0)
    assert runs(stage.directory) == 2


# ag-G07
@silent_only
@behaves(RECORD)
async def test_one_issue_that_cannot_be_looked_at_keeps_no_other_from_starting(stage: Stage) -> None:
    poison, fine = await stage.issue("Poison"), await stage.issue("Fine")
    stage.faults.refuse("GET", rf"/repos/acme/greeter/issues/{poison.number}")
    await stage.label(poison)
    await stage.label(fine)
    await stage.ended(fine)
    assert [work.attempts for work in await stage.works(poison)] in ([], [0])
    stage.faults.heal()
    stage.clock.advance(10 * MINUTE)
    await stage.ended(poison)
    assert runs(stage.directory) == 2


# gh-Z-13
@silent_only
@behaves(RECORD)
async def test_a_bot_that_was_told_to_stop_starts_nothing_that_comes_in_while_it_ends(scene: Stage) -> None:
    stop = asyncio.Event()
    async with scene.bot() as host:
        host.wheels.drain.on(stop)
        stop.set()
        thread = await scene.begin()
        await scene.settle()
        (work,) = await scene.works(thread)
        assert (work.state, work.attempts) == (WorkState.READY, 0), "it is taken in, and kept"
    async with scene.bot():
        await scene.ended(thread)
    assert runs(scene.directory) == 1


# ag-G06
@webhooks_only
@behaves(f"{RECORD}; {AWAIT}")
@pytest.mark.parametrize("gone", ["the run's records", "the workspace"])
async def test_a_run_that_cannot_be_found_any_more_ends_with_a_note(scene: Stage, signal: Signal, gone: str) -> None:
    """It is not looked for again and again: it failed, people can read why, and its retry policy says what follows."""
    async with scene.bot():
        thread = await scene.begin()
        await scene.at_work(thread)
    (attempt,) = (scene.directory / "bot" / "shell" / "runs").iterdir()
    if gone == "the workspace":
        shutil.rmtree(scene.directory / "bot" / "workspaces")
        signal.give()
    else:
        processes.end(scene.directory)
        shutil.rmtree(attempt)
    async with scene.bot():
        if gone == "the workspace":
            await scene.ended(thread)
            (work,) = await scene.works(thread)
            assert (work.state, work.attempts) == (WorkState.COMPLETED, 1), "its end was found all the same"
            return
        await scene.said(thread, "no launch of this attempt was found")
        (work,) = await scene.works(thread)
        assert (work.attempts, work.failures) == (1, 1)
        await scene.say(thread, "/cancel")
        await scene.ended(thread)


# gh-W-19
@one_slot
@silent_only
@behaves(f"{RECORD}; {AWAIT}")
async def test_a_start_that_does_not_come_is_explained_to_whoever_asks(stage: Stage, signal: Signal) -> None:
    running = await stage.begin("First")
    await stage.at_work(running)
    waiting = await stage.begin("Second")
    await stage.settle()
    await stage.said(waiting, "1 of 1 jobs busy")
    await stage.say(waiting, "/status")
    await stage.settle()
    assert [body for body in await stage.ours(waiting) if "1 of 1 jobs busy" in body]
    signal.give()
    await stage.ended(running)
    await stage.at_work(waiting)
    signal.give()
    await stage.ended(waiting)


# gh-W-20
@webhooks_only
@behaves(RECORD)
async def test_of_each_delivery_can_be_told_what_became_of_it(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.ended(thread)
    await stage.label(thread, "unrelated")
    await stage.say(thread, "Thanks!")
    await stage.settle()
    (first, *_) = await stage.deliveries("issues", "opened")
    stranger = replace(first, guid="guid-of-a-star", event="star", action="created")
    assert (await stage.send(stranger)).status_code == 202
    guids = [stranger.guid, *(each.guid for each in await stage.tracker.deliveries(REPOSITORY, stage.hook))]

    def told(tx: Tx) -> dict[str, str]:
        found = {}
        for guid in guids:
            delivery = tx.deliveries.get(guid)
            assert delivery is not None
            events = [tx.events.by_natural_key(key) for key in tx.deliveries.natural_keys(guid)]
            ended = [f"{event.routing.value}: {event.note}" for event in events if event is not None]
            found[guid] = "; ".join(filter(None, (delivery.note and f"ignored: {delivery.note}", *ended)))
        return found

    became = (await stage.up.store.read(told)).values()
    assert all(became), became
    assert not any(f"{Routing.PENDING.value}:" in each for each in became)
    assert {each.partition(":")[0] for each in became} >= {"ignored", Routing.ROUTED.value}


HELP = Agent(script=RECORD, default="help")


# gh-W-01, gh-W-03, gh-W-17
async def test_a_bot_that_was_down_for_a_day_ends_where_its_twin_is_that_was_up(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("up", "down")]
    for place in places:
        place.mkdir()
    was_up, was_down = [await _day(place, down=place.name == "down") for place in places]
    assert was_down == was_up
    assert was_up["Asked"] == ("waiting", ["state:help"], 2), "so that the day has made a difference"
    assert was_up["New"] == ("waiting", ["state:help"], 1)
    assert was_up["Called off"] == ("cancelled", [], 1)


async def _nothing_lives(stage: Stage) -> bool:
    return not await stage.up.store.read(lambda tx: [*tx.executions.live(), *tx.executions.unconfirmed()])


async def _day(directory: Path, *, down: bool) -> dict[str, tuple[str, list[str], int]]:
    """Let people do what they do on a day, and return where each issue stands after it."""
    async with open_stage(directory, webhooks=True, playbook=HELP.write(directory)) as stage, AsyncExitStack() as bots:
        await bots.enter_async_context(stage.bot())
        asked, called_off = await stage.begin("Asked"), await stage.begin("Called off")
        for thread in (asked, called_off):
            await stage.labelled(thread, "state:help")
        await stage.settle()
        if down:
            await bots.aclose()
        acts: list[Callable[[], Awaitable[object]]] = [
            lambda: stage.say(asked, "Please say wrold."),
            lambda: stage.tracker.edit_issue(REPOSITORY, asked.number, title="Asked", by=DEVELOPER),
            lambda: stage.label(asked, "urgent"),
            lambda: stage.tracker.unlabel(REPOSITORY, called_off.number, "run:work-issue", by=DEVELOPER),
            lambda: stage.begin("New"),
        ]
        for act in acts:
            await act()
            if down:
                await stage.tracker.deliver_pending()
                stage.clock.advance(DAY // len(acts))
            else:
                await stage.settle()
        if down:
            await bots.enter_async_context(stage.bot())
        await stage.settle()
        await stage.until("quiet", lambda: _nothing_lives(stage))
        await stage.settle()
        found = {}
        for work in await stage.up.store.read(lambda tx: tx.works.recent()):
            thread = Thread(stage.people[DEVELOPER], REPOSITORY, work.number)
            ours = sorted(name for name in await thread.labels() if name.startswith(("state:", "hold:")))
            found[work.instructions.title] = (work.state.value, ours, work.attempts)
        await bots.aclose()
    processes.assert_none_left(directory)
    return found
