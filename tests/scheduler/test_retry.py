"""Failures, the delays after them, and the timers that end the delays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import MINUTE, Millis
from bot.domain.admission import Reason
from bot.domain.event import Routing
from bot.domain.execution import Execution
from bot.domain.result import Outcome
from bot.domain.retry import MAX_DELAYS, RetryAt, RetryPolicy, after_failure
from bot.domain.timer import Timer, TimerKind
from bot.domain.work import BlockedReason, WorkState
from bot.ids import EventId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.timers import RETRY_TYPE
from bot.storage.contract import Tx
from tests.scheduler.bench import Bench
from tests.storage.backend import Backend

NOW = Millis(1_000)


# C-107
@pytest.mark.parametrize(("failures", "minutes"), [(1, 5), (2, 10)])
def test_the_delays_are_five_then_ten_minutes(failures: int, minutes: int) -> None:
    assert after_failure(RetryPolicy(), failures, NOW, permanent=False) == RetryAt(
        due_at=Millis(NOW + minutes * MINUTE)
    )


# C-107
def test_after_the_last_delay_nothing_is_tried_any_more() -> None:
    assert after_failure(RetryPolicy(), 3, NOW, permanent=False) is BlockedReason.RETRIES_EXHAUSTED


# C-107
def test_a_policy_of_four_attempts_adds_a_third_delay() -> None:
    four = RetryPolicy(delays=(5 * MINUTE, 10 * MINUTE, 15 * MINUTE))
    assert after_failure(four, 3, NOW, permanent=False) == RetryAt(due_at=Millis(NOW + 15 * MINUTE))
    assert after_failure(four, 4, NOW, permanent=False) is BlockedReason.RETRIES_EXHAUSTED


# C-109
def test_a_hundred_delays_give_a_hundred_and_one_attempts_and_no_more_are_possible() -> None:
    most = RetryPolicy(delays=(0,) * MAX_DELAYS)
    assert isinstance(after_failure(most, 100, NOW, permanent=False), RetryAt)
    assert after_failure(most, 101, NOW, permanent=False) is BlockedReason.RETRIES_EXHAUSTED
    with pytest.raises(ValueError, match="at most 100"):
        RetryPolicy(delays=(0,) * (MAX_DELAYS + 1))


def test_a_delay_is_not_negative() -> None:
    with pytest.raises(ValueError, match="negative"):
        RetryPolicy(delays=(-1,))


# C-87, C-106
async def test_a_failed_attempt_arms_a_timer_with_its_number_and_its_trigger(bench: Bench) -> None:
    execution = await bench.running()
    now = bench.clock.advance(MINUTE // 2)
    work = await bench.fail(execution.fence, status="help")
    assert (work.state, work.failures, work.reason, work.status) == (WorkState.READY, 1, "it broke", "help")
    timer = await bench.timer(work.id)
    assert timer is not None
    assert (timer.due_at, timer.generation, timer.cause) == (now + 5 * MINUTE, 1, execution.trigger)


# C-106
async def test_a_timer_survives_a_restart(bench: Bench, backend: Backend, place: str) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    timer = await bench.timer(execution.work)
    assert timer is not None
    await bench.store.close()
    reopened = await backend.open(place, bind=Tx)
    assert await reopened.read(lambda tx: tx.timers.due(timer.due_at)) == [timer]
    assert await reopened.read(lambda tx: tx.timers.next_due()) == timer.due_at
    assert await reopened.read(lambda tx: tx.timers.due(Millis(timer.due_at - 1))) == []
    await reopened.close()


# C-114
async def test_a_permanent_failure_arms_nothing_and_exhausts_the_work_at_once(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence, permanent=True)
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.PERMANENT_FAILURE)
    assert await bench.timer(work.id) is None
    assert await bench.kinds(work.id) == ["label"], "its input is kept for the attempt after a person acts"


# C-114, C-196 (negative control)
async def test_an_unmarked_failure_arms_its_first_delay(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    assert (work.state, work.blocked) == (WorkState.READY, None)
    assert await bench.timer(work.id) is not None


# C-05, C-107
async def test_after_the_third_failure_the_work_is_exhausted(bench: Bench) -> None:
    execution = await bench.running()
    for _ in range(2):
        await bench.fail(execution.fence)
        execution = await bench.run((await bench.claim(await bench.retry(execution.work))).execution.fence)
    work = await bench.fail(execution.fence)
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.RETRIES_EXHAUSTED)
    assert (work.attempts, work.failures) == (3, 3)
    assert await bench.timer(work.id) is None


# C-108
async def test_failures_are_counted_apart_from_attempts(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    second = (await bench.claim(await bench.retry(execution.work))).execution
    ended = await bench.finished(second.fence, Outcome.HANDOFF)
    assert (ended.work.attempts, ended.work.failures) == (2, 0)
    await bench.comment(ended.work.id)
    third = (await bench.claim(ended.work)).execution
    work = await bench.fail(third.fence)
    assert (work.attempts, work.failures) == (3, 1)
    timer = await bench.timer(work.id)
    assert timer is not None
    assert timer.due_at == bench.clock.now() + 5 * MINUTE, "the first delay again"


# C-122
async def test_a_due_timer_becomes_an_event_and_input_in_one_step(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    work = await bench.retry(execution.work)

    assert await bench.timer(work.id) is None
    event = await bench.see(lambda tx: tx.events.by_natural_key(f"retry/{work.id}/1"))
    assert event is not None
    assert (event.type, event.cause, event.routing) == (RETRY_TYPE, execution.trigger, Routing.ROUTED)
    claimed = await bench.claim(work)
    assert [entry.kind for entry in claimed.inputs] == ["label", "retry"]
    assert claimed.execution.trigger == execution.trigger, "what it is about is what it was about before"


# C-122
async def test_a_firing_that_fails_leaves_the_timer_armed(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    timer = await bench.timer(execution.work)
    assert timer is not None
    bench.clock.advance(5 * MINUTE)
    await bench.event("taken", id=EventId(f"retry/{execution.work}/1"))
    with pytest.raises(Exception, match="event_insert"):
        await bench.fire(timer)
    assert await bench.timer(execution.work) == timer
    assert await bench.kinds(execution.work) == ["label"]


# C-123
async def test_a_due_clock_alone_starts_nothing(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    bench.clock.advance(24 * 60 * MINUTE)
    assert await bench.see(lambda tx: tx.works.ready()) == []
    assert await bench.refusal(work) is Reason.RETRY_DUE


async def test_a_timer_does_not_fire_before_it_is_due(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    timer = await bench.timer(execution.work)
    assert timer is not None
    bench.clock.advance(5 * MINUTE - 1)
    assert not await bench.fire(timer)
    assert await bench.timer(execution.work) == timer


# C-127
async def test_a_timer_that_is_fired_again_has_no_effect(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    timer = await bench.timer(execution.work)
    assert timer is not None
    await bench.retry(execution.work)
    before = await bench.work(execution.work), await bench.pending(execution.work)
    assert not await bench.fire(timer)
    assert (await bench.work(execution.work), await bench.pending(execution.work)) == before


async def put_timer(bench: Bench, execution: Execution, generation: int) -> Timer:
    timer = Timer(
        id=TimerId("tmr-old"),
        work=execution.work,
        kind=TimerKind.RETRY,
        due_at=bench.clock.now(),
        generation=generation,
        cause=execution.trigger,
    )
    await bench.do(lambda tx, _: tx.timers.arm(timer))
    return timer


# C-127
async def test_a_timer_of_an_older_attempt_has_no_effect(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    await bench.fail((await bench.claim(ended.work)).execution.fence)
    assert not await bench.fire(await put_timer(bench, execution, generation=1))
    assert await bench.see(lambda tx: tx.events.by_natural_key(f"retry/{execution.work}/1")) is None
    assert await bench.kinds(execution.work) == ["comment"]


# C-127 (negative control)
async def test_a_timer_of_the_attempt_that_failed_last_has_its_effect(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    await bench.fail((await bench.claim(ended.work)).execution.fence)
    assert await bench.fire(await put_timer(bench, execution, generation=2))
    assert await bench.kinds(execution.work) == ["comment", "retry"]


# C-127
async def test_a_timer_of_a_work_that_has_ended_has_no_effect(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    assert await bench.timer(execution.work) is None
    assert not await bench.fire(await put_timer(bench, execution, generation=1))
    assert (await bench.work(execution.work)).state is WorkState.CANCELLED
    assert await bench.see(lambda tx: tx.events.by_natural_key(f"retry/{execution.work}/1")) is None


# C-128
@pytest.mark.parametrize("state", [WorkState.RUNNING, WorkState.WAITING, WorkState.EXHAUSTED])
async def test_a_work_that_runs_or_waits_is_not_retried(bench: Bench, state: WorkState) -> None:
    execution = await bench.running()
    work = await bench.work(execution.work)
    await bench.do(lambda tx, now: tx.works.save(replace(work, state=state), now))
    assert not await bench.fire(await put_timer(bench, execution, generation=1))
    assert await bench.pending(work.id) == []
    assert (await bench.work(work.id)).state is state


# C-129
async def test_input_during_the_backoff_queues_and_does_not_end_it(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    await bench.comment(work.id)
    assert await bench.refusal(work) is Reason.RETRY_DUE
    assert await bench.see(lambda tx: tx.works.ready()) == []
    claimed = await bench.claim(await bench.retry(work.id))
    assert [entry.kind for entry in claimed.inputs] == ["label", "comment", "retry"], "in the order of acceptance"


async def test_the_input_of_a_failed_attempt_keeps_its_order_and_its_history(bench: Bench) -> None:
    work = await bench.ready()
    await bench.comment(work.id, "first")
    one = (await bench.claim(work)).execution
    await bench.comment(work.id, "second")
    await bench.fail(one.fence)
    two = (await bench.claim(await bench.retry(work.id))).execution
    consumed = [await bench.consumed(each) for each in (one, two)]
    assert consumed[0] == ["evt-label/wrk-1-1", "evt-first"]
    assert consumed[1] == ["evt-label/wrk-1-1", "evt-first", "evt-second", f"retry/{work.id}/1"]
    assert two.trigger == one.trigger


async def test_one_failure_arms_one_timer(bench: Bench) -> None:
    execution = await bench.running()
    await bench.fail(execution.fence)
    second = (await bench.claim(await bench.retry(execution.work))).execution
    await bench.fail(second.fence)
    due = await bench.see(lambda tx: tx.timers.due(Millis(2**53)))
    assert [(timer.work, timer.generation) for timer in due] == [(execution.work, 2)]


# C-125
async def test_a_failure_marks_where_acceptance_stood(bench: Bench) -> None:
    """Whatever was accepted up to here, routed or not, is older than the failure and cannot be about it."""
    execution = await bench.running()
    newest = await bench.event("elsewhere", routing=Routing.PENDING)
    assert (await bench.fail(execution.fence)).failed_seq == newest.seq
