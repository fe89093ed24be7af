"""A repository that the bot may not see for a while: nothing is known about its issues, so nothing of it ends."""

from __future__ import annotations

from bot.clock import HOUR
from bot.domain.work import WorkState
from tests.scenarios.playbooks import APPROVED, AWAIT, COMMIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves
from tests.scenarios.stage import Stage

EVERYTHING = r"/repos/acme/greeter.*"


def _hide(stage: Stage) -> None:
    for method in ("GET", "POST", "PATCH", "DELETE"):
        stage.faults.refuse(method, EVERYTHING, status=404)


@behaves(f"{RECORD}; {AWAIT}; {COMMIT}", default="review")
async def test_work_goes_on_after_the_repository_was_hidden(stage: Stage, signal: Signal) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.settle()
    _hide(stage)
    await stage.label(thread, "urgent")
    await stage.settle()
    (work,) = await stage.works(thread)
    assert work.state is WorkState.RUNNING
    stage.faults.heal()
    signal.give()
    await stage.labelled(thread, "state:review")
    (work,) = await stage.works(thread)
    assert work.pull_request is not None


@behaves(RECORD, gates=APPROVED)
async def test_a_held_start_survives_a_hidden_repository(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    _hide(stage)
    await stage.label(thread, "urgent")
    await stage.settle()
    stage.faults.heal()
    stage.clock.advance(HOUR)
    await stage.settle()
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1
