"""People try again what has failed, and a brake stops what fails again and again."""

from __future__ import annotations

from bot.clock import MINUTE
from bot.demo.story import Thread
from bot.demo.world import BOT, READER
from bot.domain.work import WorkState
from bot.host.sections import BrakeSettings
from tests.scenarios.playbooks import AWAIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only
from tests.scenarios.stage import Stage

FAILS = f"{RECORD}; exit 3"
FAILS_TWICE = f'{RECORD}; test "$TRACKSIDE_ATTEMPT" -gt 1'
EXHAUSTS = f'{RECORD}; test "$TRACKSIDE_ATTEMPT" -gt 3'


async def backs_off(stage: Stage, thread: Thread, attempt: int = 1) -> None:
    await stage.said(thread, f"Attempt {attempt} failed")
    await stage.settle()


async def exhausted(stage: Stage, thread: Thread) -> None:
    for attempt in (1, 2):
        await backs_off(stage, thread, attempt)
        stage.clock.advance(10 * MINUTE)
    await stage.said(thread, "Stopped after 3 attempts")
    await stage.settle()


# C-124, C-126
@behaves(FAILS_TWICE)
async def test_a_retry_ends_the_backoff(stage: Stage) -> None:
    thread = await stage.begin()
    await backs_off(stage, thread)
    assert any("`/retry` tries now." in body for body in await stage.ours(thread))
    spoken = await stage.say(thread, "/retry")
    await stage.ended(thread)
    assert await thread.reactions(spoken) == {"eyes", "+1"}
    assert runs(stage.directory) == 2
    (work,) = await stage.works(thread)
    assert (work.state, work.attempts) == (WorkState.COMPLETED, 2)


# C-115, C-126
@silent_only
@behaves(EXHAUSTS)
async def test_a_retry_starts_a_fresh_round_of_what_has_stopped(stage: Stage) -> None:
    thread = await stage.begin()
    await exhausted(stage, thread)
    assert any("`/retry` starts a fresh round." in body for body in await stage.ours(thread))
    await stage.say(thread, "/retry")
    await stage.ended(thread)
    (work,) = await stage.works(thread)
    assert (work.state, work.attempts) == (WorkState.COMPLETED, 4)


# C-128
@silent_only
@behaves(f"{RECORD}; {AWAIT}")
async def test_a_retry_of_what_runs_says_so(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    spoken = await stage.say(thread, "/retry")
    await stage.said(thread, "there is nothing to try again: work-issue: an attempt is under way.")
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    signal.give()
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# C-127
@silent_only
@behaves(RECORD)
async def test_a_retry_of_what_has_ended_names_what_starts_it_anew(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.ended(thread)
    await stage.say(thread, "/retry")
    await stage.said(thread, "Add the playbook's label to start.")
    await stage.settle()
    assert runs(stage.directory) == 1


@silent_only
@behaves(FAILS)
async def test_only_people_with_write_access_retry(stage: Stage) -> None:
    thread = await stage.begin()
    await backs_off(stage, thread)
    await stage.say(thread, "/retry", by=READER)
    await stage.say(thread, "/retry", by=BOT)
    await stage.said(thread, "write access is needed")
    await stage.settle()
    assert runs(stage.directory) == 1


# ag-C02
@silent_only
@behaves(FAILS)
async def test_what_fails_again_and_again_is_held_once_and_only_a_person_lets_it_go_on(scene: Stage) -> None:
    scene.brakes = BrakeSettings(starts=2)
    async with scene.bot():
        thread = await scene.begin()
        for attempt in (1, 2):
            await backs_off(scene, thread, attempt)
            scene.clock.advance(10 * MINUTE)
        await scene.labelled(thread, "hold:operator")
        await scene.settle()
        assert runs(scene.directory) == 2
        title = "**Held: 2 starts without progress in 24 h**"
        assert sum(title in body for body in await scene.ours(thread)) == 2, "the status, and one comment of its own"
        comments = await scene.ours(thread)

        await scene.say(thread, "Look at the other file.")
        await scene.say(thread, "/release", by=BOT)
        scene.clock.advance(60 * MINUTE)
        await scene.settle()
        assert runs(scene.directory) == 2
        assert await scene.ours(thread) == [*comments, "/release"], "the bot's own words lift nothing"

        await scene.say(thread, "/release")
        await scene.said(thread, "Stopped after 3 attempts")
        await scene.settle()
        assert runs(scene.directory) == 3


# ag-C02
@silent_only
@behaves(FAILS)
async def test_the_usual_brake_leaves_the_usual_tries_alone(scene: Stage) -> None:
    """The negative control of the test above."""
    async with scene.bot():
        thread = await scene.begin()
        await exhausted(scene, thread)
        assert runs(scene.directory) == 3
        assert "hold:operator" not in await thread.labels()
