"""What the labels say while Work waits for its turn, works, waits for people and goes on."""

from __future__ import annotations

from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, READER, REPOSITORY
from bot.domain.work import WorkState
from tests.scenarios.playbooks import AWAIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, one_slot, silent_only, webhooks_only
from tests.scenarios.stage import Stage


@one_slot
@behaves(f"{RECORD}; {AWAIT}")
async def test_the_second_of_two_waits_for_a_slot_and_starts_by_itself(stage: Stage, signal: Signal) -> None:
    first = await stage.begin()
    await stage.at_work(first)
    second = await stage.begin("Fix the other greeting")
    await stage.said(second, "Waiting for a free slot")
    await stage.settle()
    assert "state:building" not in await second.labels()
    assert [work.attempts for work in await stage.works(second)] == [0]
    signal.give()
    await stage.ended(first)
    await stage.at_work(second)
    signal.give()
    await stage.ended(second)
    assert runs(stage.directory) == 2


@behaves(f"{RECORD}; {AWAIT}", default="help")
async def test_a_comment_of_a_writer_starts_the_next_attempt(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    signal.give()
    await stage.labelled(thread, "state:help")
    await stage.settle()
    assert await _states(thread) == {"state:help"}
    await stage.say(thread, "Me too!", by=READER)
    await stage.settle()
    assert await _states(thread) == {"state:help"}
    await stage.say(thread, "Say hello to everyone.", by=MAINTAINER)
    await stage.at_work(thread)
    await stage.settle()
    assert await _states(thread) == {"state:building"}
    signal.give()
    await stage.labelled(thread, "state:help")
    await stage.settle()
    (work,) = await stage.works(thread)
    assert (work.state, work.attempts) == (WorkState.WAITING, 2)
    assert runs(stage.directory) == 2


async def _states(thread: Thread) -> set[str]:
    return {name for name in await thread.labels() if name.startswith("state:")}


@webhooks_only
@behaves(f"{RECORD}; {AWAIT}", default="help")
async def test_what_is_said_while_it_runs_starts_one_more_attempt(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.say(thread, "One more thing.", by=DEVELOPER)
    await stage.say(thread, "And another.", by=MAINTAINER)
    await stage.settle()
    signal.give()
    signal.give()
    await stage.until("the second attempt waits", lambda: _waits(stage, thread, 2))
    await stage.settle()
    prompt = (stage.directory / "prompt-2").read_text(encoding="utf-8")
    assert prompt.index("One more thing.") < prompt.index("And another.")
    assert runs(stage.directory) == 2


async def _waits(stage: Stage, thread: Thread, attempts: int) -> bool:
    (work,) = await stage.works(thread)
    return work.state is WorkState.WAITING and work.attempts == attempts


@silent_only
@behaves(RECORD)
async def test_the_labels_of_people_stay_as_they_are(stage: Stage) -> None:
    # gh-L-05
    await stage.tracker.create_label(REPOSITORY, "state:done", by=MAINTAINER, color="123456", description="Ours")
    thread = await stage.issue()
    await stage.label(thread, "bug", "hold:everything", "run:work-issue")
    await stage.ended(thread)
    assert await thread.labels() == {"bug", "hold:everything", "state:done"}
    label = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/labels/state:done")
    assert (label["color"], label["description"]) == ("123456", "Ours")
