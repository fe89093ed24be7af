"""Authority over a run that was lost: what is stopped then, on what proof, and what is left to recovery."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import pytest
from structlog.testing import capture_logs

from bot.domain.execution import Execution, Phase
from bot.domain.result import Order, Outcome, Result
from bot.domain.work import BlockedReason, WorkState
from bot.errors import ExecutorError, NotAdoptableError, StorageError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.host.home import Home
from bot.host.recovery import StopPass
from bot.ids import ExecutionId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.interrupt import interrupt
from bot.scheduler.recover import adoptable
from bot.scheduler.timeout import time_out
from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.factories import LEASE, TIMEOUT
from tests.host.rig import PlainOrders
from tests.host.scripted import Line, ResumingExecutor, Scene
from tests.host.test_resuming import DONE, STOPPED, Place
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage.twice import Writable

T = TypeVar("T")


@dataclass(kw_only=True)
class Stoppable(ResumingExecutor):
    """One that ``says`` what came of a stop, or raises its ``refusal``; ``stopped`` is what it was asked for."""

    says: StopEvidence = StopEvidence.STOPPED
    refusal: Exception | None = None
    stopped: list[ExecutionId] = field(default_factory=list)

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        del epoch
        self.stopped.append(execution)
        if self.refusal is not None:
            raise self.refusal
        return self.says


@dataclass(kw_only=True)
class Forgetful(Stoppable):
    """One that gives a run back without having stored how to find it again."""

    async def _launch(self, what: str, order: Order, context: ExecutionContext) -> Scene:
        del context
        return self._asked(what, order)


def place_of(bench: Bench, *lines: Line) -> tuple[Place, Stoppable]:
    executor = Stoppable(lines=list(lines))
    return Place(bench=bench, executor=executor), executor


async def stops(place: Place) -> None:
    """Run the pass that stops, and wait for what it has begun."""
    stop = StopPass(
        store=place.bench.store,
        clock=place.bench.clock,
        executors=place.executors,
        attempts=place.attempts,
        home=Home(owner="host-a", shared=False),
        wake=place.woken.set,
    )
    await stop.run()
    begun = [task for task in asyncio.all_tasks() if task.get_name().startswith("stop ")]
    await asyncio.gather(*begun)


async def _observation_fails(place: Place) -> Execution:
    place.executor.lines = [ExecutorError("the connection was lost", code="transport")]
    return await place.drive(await place.claimed())


async def _recovery_fails(place: Place) -> Execution:
    execution = await _lapses(place)
    place.executor.fault = NotAdoptableError()
    taken = await place.bench.recover(execution.id, owner="host-a")
    assert taken is not None
    return await place.drive(taken)


async def _we_fail(place: Place) -> Execution:
    cast("PlainOrders", place.attempts.launching.orders).fault = ZeroDivisionError()
    with capture_logs() as logs:
        ended = await place.drive(await place.claimed())
    (broken,) = [entry for entry in logs if entry["event"] == "attempt_broken"]
    assert ended.summary == f"internal error {broken['error_id']}; the log of the bot explains it"
    return ended


async def _is_cancelled(place: Place) -> Execution:
    execution = await _runs(place)
    await place.bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    return await place.bench.execution(execution.id)


async def _is_interrupted(place: Place) -> Execution:
    execution = await _runs(place)
    await place.bench.do(lambda tx, now: interrupt(tx, execution.work, by="ada", reason="no", seq=1, now=now))
    return await place.bench.execution(execution.id)


async def _is_timed_out(place: Place) -> Execution:
    execution = await _runs(place)
    await place.bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT + LEASE))
    place.bench.clock.advance(TIMEOUT)
    await place.bench.do(lambda tx, now: time_out(tx, execution.fence, timer=TimerId("tmr"), now=now))
    return await place.bench.execution(execution.id)


Loss = Callable[[Place], Awaitable[Execution]]
ENDED = [_observation_fails, _recovery_fails, _we_fail, _is_cancelled, _is_interrupted, _is_timed_out]


async def _runs(place: Place) -> Execution:
    return await place.bench.run((await place.claimed()).execution.fence)


async def _lapses(place: Place) -> Execution:
    execution = await _runs(place)
    place.bench.clock.advance(LEASE)
    return execution


async def _is_released(place: Place) -> Execution:
    execution = await _runs(place)
    await place.bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    return await place.bench.execution(execution.id)


async def _is_taken_over(place: Place) -> Execution:
    execution = await _runs(place)
    await place.bench.recovered(execution.id)
    return execution


async def _is_parked(place: Place) -> Execution:
    place.executor.lines = [STOPPED]
    return await place.drive(await place.claimed())


# C-72, C-76, C-82
@pytest.mark.parametrize("lost", ENDED)
async def test_what_has_ended_with_a_run_unaccounted_for_keeps_its_slot_until_its_stop_is_proved(
    bench: Bench, lost: Loss
) -> None:
    place, executor = place_of(bench)
    ended = await lost(place)
    assert (ended.phase, ended.slot) == (Phase.FINISHED, True)
    assert not await bench.see(lambda tx: adoptable(tx, ended.fence))
    await stops(place)
    assert executor.stopped == [ended.id]
    assert not (await bench.execution(ended.id)).slot


# C-72, C-83 (negative control)
@pytest.mark.parametrize("lost", [_lapses, _is_released, _is_taken_over, _is_parked])
async def test_what_may_still_be_adopted_or_resumed_is_not_stopped(bench: Bench, lost: Loss) -> None:
    place, executor = place_of(bench)
    execution = await lost(place)
    assert await bench.see(lambda tx: adoptable(tx, execution.fence))
    before = await bench.execution(execution.id)
    await stops(place)
    assert executor.stopped == []
    assert await bench.execution(execution.id) == before


# C-76
@pytest.mark.parametrize("refusal", [None, NotAdoptableError(), ExecutorError("no answer"), TimeoutError()])
async def test_a_stop_that_proves_nothing_frees_no_slot(bench: Bench, refusal: Exception | None) -> None:
    place, executor = place_of(bench)
    executor.says, executor.refusal = StopEvidence.UNKNOWN, refusal
    ended = await _is_cancelled(place)
    await stops(place)
    assert executor.stopped == [ended.id]
    assert (await bench.execution(ended.id)).slot


# C-54
async def test_a_launch_that_was_never_acknowledged_fails_and_keeps_its_slot(bench: Bench) -> None:
    place = Place(bench=bench, executor=Forgetful(lines=[DONE]))
    ended = await place.drive(await place.claimed())
    assert (ended.outcome, ended.slot, ended.result) == (Outcome.FAILED, True, None)
    assert ended.summary.endswith("the executor returned a run without storing how to find it again")
    work = await bench.work(ended.work)
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.PERMANENT_FAILURE)


class Database:
    """A store that is away while ``away`` is set."""

    def __init__(self, store: Writable[Tx]) -> None:
        self._store = store
        self.away = False

    async def write(self, change: Callable[[Tx], T], /) -> T:
        if self.away:
            raise StorageError("database or disk is full")
        return await self._store.write(change)

    async def read(self, query: Callable[[Tx], T], /) -> T:
        return await self._store.read(query)

    async def close(self) -> None:
        await self._store.close()


# ag-G02
async def test_an_end_that_cannot_be_written_down_is_written_down_later(
    store: Writable[Tx], clock: FakeClock, ids: Ids
) -> None:
    database = Database(store)
    bench = Bench(database, clock, ids)
    place, _ = place_of(bench, DONE, DONE)
    place.executor.due.clear()
    claimed = await place.claimed()
    place.attempts.claimed(claimed)
    while (await bench.execution(claimed.execution.id)).phase is not Phase.RUNNING:
        await place.woken.wait()
        place.woken.clear()
    database.away = True
    place.executor.due.set()
    with capture_logs() as logs:
        left = await place.through(claimed.execution)
    assert [entry["event"] for entry in logs] == ["attempt_interrupted", "lease_not_given_back"]
    assert (left.phase, left.result, left.slot) == (Phase.RUNNING, None, True)
    database.away = False
    ended = await place.drive(await bench.recovered(left.id))
    assert place.calls() == ["run 1", "recover 2"]
    assert (ended.outcome, ended.slot) == (Outcome.COMPLETED, False), "its lease has lapsed, and its slot is free"
    work = await bench.work(ended.work)
    assert (work.state, work.attempts, work.failures) == (WorkState.COMPLETED, 1, 0)
    assert isinstance(ended.result, Result)
