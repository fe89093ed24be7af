"""Attempts that are over their deadline."""

from __future__ import annotations

import pytest

from bot.clock import MINUTE, SECOND, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Outcome, Result
from bot.domain.segment import Invoke
from bot.domain.work import WorkState
from bot.errors import StaleEpochError
from bot.ids import TimerId
from bot.scheduler.finish import Finished
from bot.scheduler.recover import recover
from bot.scheduler.timeout import overdue, time_out
from bot.storage.contract import Tx
from tests.factories import LEASE, TIMEOUT, make_binding
from tests.scheduler.bench import Bench

TIMER = TimerId("tmr-timeout")


async def over_time(bench: Bench, fence: Fence) -> Finished | None:
    return await bench.do(lambda tx, now: time_out(tx, fence, timer=TIMER, now=now))


async def listed(bench: Bench) -> list[Execution]:
    now = bench.clock.now()
    return list(await bench.see(lambda tx: overdue(tx, now)))


async def held_up_to_its_deadline(bench: Bench) -> Execution:
    execution = await bench.running()
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT + LEASE))
    bench.clock.advance(TIMEOUT)
    return await bench.execution(execution.id)


# C-90
async def test_an_attempt_over_its_deadline_fails_and_keeps_its_slot(bench: Bench) -> None:
    execution = await held_up_to_its_deadline(bench)
    assert await listed(bench) == [execution]

    ended = await over_time(bench, execution.fence)

    assert ended is not None
    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.outcome, stored.summary) == (Phase.FINISHED, Outcome.FAILED, "timed out after 60 min")
    assert stored.slot, "what is late is running"
    work = await bench.work(execution.work)
    assert (work.state, work.failures, work.reason) == (WorkState.READY, 1, "timed out after 60 min")
    assert await bench.timer(work.id) is not None
    assert await bench.kinds(work.id) == ["label"], "its input is there for the next attempt"
    assert await listed(bench) == []


# C-90 (negative control)
async def test_an_attempt_within_its_time_is_left_alone(bench: Bench) -> None:
    execution = await bench.running()
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT + LEASE))
    bench.clock.advance(TIMEOUT - 1)
    before = await bench.execution(execution.id)
    assert await listed(bench) == []
    assert await over_time(bench, execution.fence) is None
    assert await bench.execution(execution.id) == before


# C-28
@pytest.mark.parametrize(("limit", "said"), [(90 * SECOND, "1.5 min"), (2 * MINUTE, "2 min")])
async def test_the_timeout_is_that_of_the_pinned_binding(bench: Bench, limit: int, said: str) -> None:
    execution = await bench.running(binding=make_binding(timeout=limit))
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT))
    bench.clock.advance(limit)
    ended = await over_time(bench, execution.fence)
    assert ended is not None
    assert ended.execution.summary == f"timed out after {said}"


# C-90, C-91
async def test_a_deadline_gives_no_authority(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(TIMEOUT)
    before = await bench.execution(execution.id)
    assert await listed(bench) == [before], "listed, so that somebody takes it over first"
    with pytest.raises(StaleEpochError):
        await over_time(bench, execution.fence)
    assert await bench.execution(execution.id) == before


# C-39, C-40, C-66, C-91
@pytest.mark.parametrize("called", [False, True], ids=["never called", "running"])
async def test_an_attempt_that_nobody_holds_is_taken_over_and_timed_out_in_one_step(
    bench: Bench, *, called: bool
) -> None:
    execution = (await bench.claimed()).execution
    if called:
        await bench.run(execution.fence)
    bench.clock.advance(TIMEOUT)
    seen = await bench.execution(execution.id)

    def change(tx: Tx, now: Millis) -> Finished | None:
        taken = recover(tx, seen, owner="host-b", lease=LEASE, now=now)
        assert taken is not None
        assert not taken.relaunch, "it is never launched again"
        return time_out(tx, taken.execution.fence, timer=TIMER, now=now)

    assert await bench.do(change) is not None
    stored = await bench.execution(execution.id)
    assert (stored.epoch, stored.outcome, stored.deadline) == (2, Outcome.FAILED, execution.deadline)
    last = stored.segments.kept[-1]
    assert (last.recovered, last.relaunched, last.invoke) == (True, False, Invoke.CALLED)
    assert last.started_at == last.ended_at == bench.clock.now()
    assert stored.segments.active() == TIMEOUT


# C-66 (negative control)
async def test_before_its_deadline_the_same_launch_would_be_launched_again(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    bench.clock.advance(TIMEOUT - 1)
    taken = await bench.recover(execution.id)
    assert taken is not None
    assert taken.relaunch


async def test_a_run_that_ended_in_time_is_not_timed_out_while_it_is_published(bench: Bench) -> None:
    """Its result would be lost to a tracker that is down."""
    execution = await bench.running()
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT + LEASE))
    await bench.result(execution.fence, Result(ok=True))
    bench.clock.advance(TIMEOUT)
    assert await listed(bench) == []
    assert await over_time(bench, execution.fence) is None
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-73
async def test_a_result_that_comes_after_the_time_out_is_refused(bench: Bench) -> None:
    execution = await held_up_to_its_deadline(bench)
    await over_time(bench, execution.fence)
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    with pytest.raises(StaleEpochError):
        await over_time(bench, execution.fence)
    assert (await bench.work(execution.work)).failures == 1


async def test_an_event_that_is_not_routed_yet_does_not_keep_a_late_attempt_alive(bench: Bench) -> None:
    execution = await held_up_to_its_deadline(bench)
    await bench.event("pending", keys=("item:1/1",))
    assert await over_time(bench, execution.fence) is not None
