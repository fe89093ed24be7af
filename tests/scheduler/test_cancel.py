"""Ending a Work before its time: one transaction fences everything of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.clock import Millis
from bot.domain.admission import Reason
from bot.domain.execution import Phase
from bot.domain.kind import Capability
from bot.domain.result import Outcome, Result
from bot.domain.wait import Awaited, Dependency, Suspension
from bot.domain.work import Work, WorkState
from bot.errors import StaleEpochError
from bot.ids import TimerId, WorkId
from bot.scheduler.cancel import cancel, complete_elsewhere
from bot.scheduler.interrupt import interrupt
from bot.scheduler.park import park
from bot.scheduler.recover import confirm_stopped
from bot.scheduler.router import add_input
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import make_binding
from tests.scheduler.bench import Bench

LATER = Millis(START + 1_000_000)
Reach = Callable[[Bench], Awaitable[WorkId]]


async def cancels(bench: Bench, work: WorkId) -> Work | None:
    return await bench.do(lambda tx, now: cancel(tx, work, by="ada", reason="never mind", now=now))


async def _ready(bench: Bench) -> WorkId:
    return (await bench.ready()).id


async def _launching(bench: Bench) -> WorkId:
    return (await bench.claimed()).work.id


async def _running(bench: Bench) -> WorkId:
    return (await bench.running()).work


async def _publishing(bench: Bench) -> WorkId:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True))
    return execution.work


async def _waiting(bench: Bench) -> WorkId:
    execution = await bench.running()
    return (await bench.finished(execution.fence, Outcome.WAITING, waits=("comment",))).work.id


async def _backing_off(bench: Bench) -> WorkId:
    return (await bench.fail((await bench.running()).fence)).id


async def _exhausted(bench: Bench) -> WorkId:
    return (await bench.fail((await bench.running()).fence, permanent=True)).id


async def _parked(bench: Bench) -> WorkId:
    execution = await bench.running()
    awaited = Awaited(kinds=("comment",), dependencies=(Dependency(key="item:1/9"),), until=LATER)
    result = Result(ok=True, suspension=Suspension(awaited=awaited))
    await bench.do(lambda tx, now: park(tx, execution.fence, result, status=None, timer=TimerId("tmr-p"), now=now))
    return execution.work


async def _talking(bench: Bench) -> WorkId:
    talks = make_binding(capabilities=frozenset({Capability.INJECT, Capability.INTERRUPT}))
    execution = await bench.running(binding=talks)
    await bench.comment(execution.work, "told")
    return execution.work


async def _interrupted(bench: Bench) -> WorkId:
    work = await _talking(bench)
    await bench.do(lambda tx, now: interrupt(tx, work, by="ada", reason="no", seq=1, now=now))
    return work


LIVE = [
    _ready, _launching, _running, _publishing, _waiting, _backing_off, _exhausted, _parked, _talking, _interrupted
]  # fmt: skip


# C-141
@pytest.mark.parametrize("reach", LIVE)
async def test_from_every_live_state_a_cancelled_work_leaves_nothing_that_could_start(
    bench: Bench, reach: Reach
) -> None:
    work = await reach(bench)
    await bench.comment(work, "late", kind="other")

    ended = await cancels(bench, work)

    assert ended is not None
    assert ended == await bench.work(work)
    assert (ended.state, ended.ended_by, ended.reason) == (WorkState.CANCELLED, "ada", "never mind")
    assert (ended.ended_at, ended.waits, ended.gate_pass) == (bench.clock.now(), (), None)
    assert await bench.see(lambda tx: tx.executions.live()) == []
    assert await bench.see(lambda tx: tx.holds.open(work)) == []
    assert await bench.see(lambda tx: tx.timers.next_due()) is None
    assert await bench.see(lambda tx: tx.subscriptions.of_work(work)) == []
    assert await bench.see(lambda tx: tx.controls.due(LATER)) == []
    assert await bench.pending(work) == []
    assert await bench.see(lambda tx: tx.works.ready()) == []
    assert await bench.refusal(ended) is Reason.ENDED


# C-127
@pytest.mark.parametrize("reach", LIVE)
async def test_what_has_ended_does_not_end_again(bench: Bench, reach: Reach) -> None:
    work = await reach(bench)
    ended = await cancels(bench, work)
    bench.clock.advance(1)
    assert await cancels(bench, work) is None
    done = await bench.do(lambda tx, now: complete_elsewhere(tx, work, by="eve", reason="merged", now=now))
    assert done is None
    assert await bench.work(work) == ended


# C-141, C-142
async def test_a_cancelled_attempt_is_fenced_and_its_slot_waits_for_the_stop(bench: Bench) -> None:
    execution = await bench.running()
    await cancels(bench, execution.work)
    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.outcome, stored.summary) == (Phase.FINISHED, Outcome.CANCELLED, "never mind")
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    assert [each.id for each in await bench.see(lambda tx: tx.executions.unconfirmed())] == [execution.id]
    assert await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert await bench.see(lambda tx: tx.executions.unconfirmed()) == []


# C-141, C-142
async def test_a_cancelled_parked_attempt_needs_no_stop(bench: Bench) -> None:
    work = await _parked(bench)
    await cancels(bench, work)
    assert await bench.see(lambda tx: tx.executions.unconfirmed()) == []


# C-78, C-142
async def test_a_run_that_was_seen_to_end_before_the_cancellation_needs_no_stop(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, units={"usd": 2.0}))
    ended = await cancels(bench, execution.work)
    assert not (await bench.execution(execution.id)).slot
    assert ended is not None
    assert ended.usage == {"usd": 2.0}, "what it used is used"


async def test_a_work_that_is_done_elsewhere_is_completed(bench: Bench) -> None:
    execution = await bench.running()
    done = await bench.do(lambda tx, now: complete_elsewhere(tx, execution.work, by="eve", reason="merged", now=now))
    assert done is not None
    assert (done.state, done.ended_by, done.reason) == (WorkState.COMPLETED, "eve", "merged")
    assert (await bench.execution(execution.id)).outcome is Outcome.CANCELLED
    assert await bench.pending(execution.work) == []


# C-09
async def test_what_attempts_had_consumed_stays_their_history_after_the_cancellation(bench: Bench) -> None:
    work = await bench.ready()
    await bench.comment(work.id, "first")
    one = (await bench.claim(work)).execution
    await bench.fail(one.fence)
    two = (await bench.claim(await bench.retry(work.id))).execution
    await bench.fail(two.fence)
    await bench.comment(work.id, "never taken up")
    before = [await bench.consumed(one), await bench.consumed(two)]
    assert [len(events) for events in before] == [2, 3]

    await cancels(bench, work.id)

    assert [await bench.consumed(one), await bench.consumed(two)] == before
    assert await bench.pending(work.id) == []


# C-127, C-141
async def test_input_for_a_work_that_has_ended_is_not_queued(bench: Bench) -> None:
    work = await bench.ready()
    seen = await bench.work(work.id)
    await cancels(bench, work.id)
    event = await bench.event("late")

    def change(tx: Tx, now: Millis) -> Work:
        return add_input(tx, seen, event, kind="comment", author="ada", body="", now=now)

    assert (await bench.do(change)).state is WorkState.CANCELLED
    assert await bench.pending(work.id) == []


# C-141
async def test_the_work_of_another_playbook_on_the_same_item_is_left_alone(bench: Bench) -> None:
    one = await bench.running(1)
    two = (await bench.claim(await bench.ready(1, playbook="review-pr", id="wrk-review"))).execution
    await bench.fail(two.fence)
    await cancels(bench, one.work)
    assert (await bench.work(two.work)).state is WorkState.READY
    assert await bench.timer(two.work) is not None
    assert await bench.kinds(two.work) == ["label"]
