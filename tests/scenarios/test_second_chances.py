"""Nothing is lost by waiting, and what a fault kept from starting is started by the same action of a person."""

from __future__ import annotations

from bot.clock import DAY
from bot.demo.world import DEVELOPER, REPOSITORY
from bot.domain.hold import HoldState
from bot.domain.work import WorkState
from bot.storage.contract import Tx
from tests.scenarios.playbooks import APPROVED, RECORD, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_a_question_that_nobody_answers_stays_open_and_is_no_refusal(stage: Stage) -> None:
    # ag-E11
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    stage.clock.advance(30 * DAY)
    await stage.settle()
    (work,) = await stage.works(thread)

    def open_holds(tx: Tx) -> list[HoldState]:
        return [hold.state for hold in tx.holds.of_work(work.id)]

    assert work.state is WorkState.READY
    assert await stage.up.store.read(open_holds) == [HoldState.OPEN]
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@webhooks_only
@behaves(RECORD)
async def test_a_label_that_is_put_on_again_after_the_tracker_failed_starts_the_work(stage: Stage) -> None:
    # gh-L-11
    thread = await stage.issue()
    stage.faults.refuse("GET", r"/repos/.*/issues/.*", status=503)
    await stage.label(thread)
    for _ in range(5):
        await stage.turn()
    assert await stage.works(thread) == []
    await stage.tracker.unlabel(REPOSITORY, thread.number, "run:work-issue", by=DEVELOPER)
    await stage.turn()
    stage.faults.heal()
    await stage.label(thread)
    await stage.ended(thread)
    assert runs(stage.directory) == 1
