"""
The passes that take up what was left: lapsed attempts, due timers, overdue attempts, unconfirmed stops.

Each looks at everything that is due, page by page, and each row is handled on its own: one that fails is tried again
later and hides none of the others (gh-Z-06, ag-G07).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import structlog

from bot.clock import Clock
from bot.domain.execution import Binding, Execution
from bot.domain.timer import Timer
from bot.errors import StaleEpochError
from bot.executors.contract import Executor, StopEvidence
from bot.host.drain import Drain
from bot.host.faults import without_words
from bot.host.home import Home
from bot.host.postponed import Postponed
from bot.host.start import Lease
from bot.ids import ExecutionId, TimerId, new_id
from bot.scheduler import timers
from bot.scheduler.finish import Finished
from bot.scheduler.interrupt import being_asked
from bot.scheduler.recover import Recovered, confirm_stopped, recover
from bot.scheduler.stall import end_stalled, stalled
from bot.scheduler.timeout import overdue, time_out
from bot.storage.contract import Store, Tx

T = TypeVar("T")

PAGE = 100
STOP_TIMEOUT = 300.0
"""Real seconds that one stop may take: an executor that does not answer is asked again (gh-Z-24)."""

_log = structlog.get_logger(__name__)


class Driving(Protocol):
    """The attempts that this host drives."""

    def driving(self) -> frozenset[ExecutionId]:
        """Return which they are."""
        ...

    def recovered(self, recovered: Recovered, /) -> None:
        """Drive one that was taken over."""
        ...

    async def abandon(self, execution: ExecutionId, /) -> None:
        """Stop driving one; says nothing about its processes."""
        ...


class FindExecutor(Protocol):
    """The executors of attempts."""

    async def of(self, binding: Binding, /) -> Executor:
        """Return the executor that an attempt is pinned to. Raises ``ExecutorError`` when it is not there."""
        ...


@dataclass(kw_only=True)
class RecoverPass:
    """Takes over attempts whose lease has lapsed, and drives them."""

    store: Store
    clock: Clock
    lease: Lease
    home: Home
    attempts: Driving
    drain: Drain
    page: int = PAGE
    _postponed: Postponed[ExecutionId] = field(init=False)

    def __post_init__(self) -> None:
        self._postponed = Postponed(clock=self.clock)

    async def run(self) -> None:
        """Take over everything that is due. A host that is to end takes nothing over (gh-Z-13)."""
        now = self.clock.now()
        async for execution in _rows(
            self.store, lambda tx, after: tx.executions.lapsed(now, after=after, limit=self.page)
        ):
            if self.drain.begun:
                return
            if self.home.keeps(execution) and execution.id not in self.attempts.driving():
                # What we drive still, our own task has in hand, and learns by itself that the lease is gone.
                await self._postponed.attempt(execution.id, lambda e=execution: self._take_over(e))  # type: ignore[misc]

    async def _take_over(self, execution: Execution) -> None:
        owner, length, now = self.lease.owner, self.lease.length, self.clock.now()
        taken = await self.store.write(lambda tx: recover(tx, execution, owner=owner, lease=length, now=now))
        if taken is not None:
            _log.info("recovered", work=taken.work.id, execution=execution.id, epoch=taken.execution.epoch)
            self.attempts.recovered(taken)


@dataclass(kw_only=True)
class TimersPass:
    """
    Fires due timers, and ends attempts that are over their time.

    ``launch_timeout`` is how many milliseconds a launch may take without progress.
    """

    store: Store
    clock: Clock
    lease: Lease
    attempts: Driving
    launch_timeout: int
    page: int = PAGE
    _postponed: Postponed[TimerId | ExecutionId] = field(init=False)

    def __post_init__(self) -> None:
        self._postponed = Postponed(clock=self.clock)

    async def run(self) -> None:
        """Handle everything that is due."""
        now = self.clock.now()
        async for timer in _rows(self.store, lambda tx, after: tx.timers.due(now, after=after, limit=self.page)):
            await self._postponed.attempt(timer.id, lambda t=timer: self._fire(t))  # type: ignore[misc]
        async for one in _rows(self.store, lambda tx, after: overdue(tx, now, after=after, limit=self.page)):
            # One that another host holds is that host's to end (C-90).
            if one.lease_until <= now or one.owner == self.lease.owner:
                await self._postponed.attempt(one.id, lambda e=one: self._time_out(e))  # type: ignore[misc]
        async for one in _rows(self.store, lambda tx, after: tx.executions.launching(after=after, limit=self.page)):
            mine = one.lease_until > now and one.owner == self.lease.owner
            if mine and stalled(one, allowed=self.launch_timeout, now=now):
                await self._postponed.attempt(one.id, lambda e=one: self._end_stalled(e))  # type: ignore[misc]

    async def _fire(self, timer: Timer) -> None:
        now = self.clock.now()
        await self.store.write(lambda tx: timers.fire(tx, timer, now))

    async def _time_out(self, execution: Execution) -> None:
        identity, now = TimerId(new_id("tmr")), self.clock.now()

        def change(tx: Tx) -> Finished | None:
            fence = execution.fence
            if execution.lease_until <= now:
                # Nobody holds it: it is taken over and ended in one, so that nothing of it is launched again. It keeps
                # its owner, whose host alone can prove that its run is gone.
                taken = recover(tx, execution, owner=execution.owner, lease=self.lease.length, now=now)
                if taken is None:
                    return None
                fence = taken.execution.fence
            return time_out(tx, fence, timer=identity, now=now)

        if await self._ended(execution, change):
            _log.info("timed_out", work=execution.work, execution=execution.id, epoch=execution.epoch)

    async def _end_stalled(self, execution: Execution) -> None:
        identity, now, allowed = TimerId(new_id("tmr")), self.clock.now(), self.launch_timeout

        def change(tx: Tx) -> Finished | None:
            return end_stalled(tx, execution.fence, allowed=allowed, timer=identity, now=now)

        if await self._ended(execution, change):
            _log.warning("launch_stalled", work=execution.work, execution=execution.id, epoch=execution.epoch)

    async def _ended(self, execution: Execution, change: Callable[[Tx], Finished | None]) -> bool:
        try:
            ended = await self.store.write(change)
        except StaleEpochError:
            # Somebody else holds it by now; the next pass looks again.
            return False
        if ended is None:
            return False
        # Only now: giving up the driving gives the lease back, without which nothing could be ended.
        await self.attempts.abandon(execution.id)
        return True


@dataclass(kw_only=True)
class StopPass:
    """
    Stops what is left of ended attempts, and frees their slots on proof only (C-77, C-82).

    Each stop runs in a task of its own, since a process may use its whole grace.
    """

    store: Store
    clock: Clock
    executors: FindExecutor
    attempts: Driving
    home: Home
    wake: Callable[[], None]
    page: int = PAGE
    patience: float = STOP_TIMEOUT
    _stopping: dict[ExecutionId, asyncio.Task[None]] = field(default_factory=dict)
    _postponed: Postponed[ExecutionId] = field(init=False)

    def __post_init__(self) -> None:
        self._postponed = Postponed(clock=self.clock)

    async def run(self) -> None:
        """Begin to stop every ended attempt whose slot is taken still."""
        async for one in _rows(self.store, lambda tx, after: tx.executions.unconfirmed(after=after, limit=self.page)):
            if not self.home.keeps(one) or one.id in self._stopping or self._postponed.waits(one.id):
                continue
            if await self._asked(one):
                continue
            task = asyncio.create_task(self._stop(one), name=f"stop {one.id}")
            self._stopping[one.id] = task
            task.add_done_callback(lambda _, e=one.id: self._ended(e))  # type: ignore[misc]

    async def close(self) -> None:
        """Give up the stops that are under way; the next host begins them again."""
        tasks = list(self._stopping.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, execution: ExecutionId) -> None:
        self._stopping.pop(execution, None)
        self.wake()

    async def _asked(self, execution: Execution) -> bool:
        now = self.clock.now()
        return await self.store.read(lambda tx: being_asked(tx, execution, now))

    async def _stop(self, execution: Execution) -> None:
        stopped = False
        try:
            await self.attempts.abandon(execution.id)
            stopped = await self._confirm(execution)
        except Exception as error:  # noqa: BLE001 - a failed stop is tried again, and stops nothing else
            _log.warning("stop_failed", execution=execution.id, **without_words(error))
        if stopped:
            self._postponed.succeeded(execution.id)
        else:
            self._postponed.failed(execution.id)

    async def _confirm(self, execution: Execution) -> bool:
        executor = await self.executors.of(execution.binding)
        async with asyncio.timeout(self.patience):
            evidence = await executor.stop(execution.id, execution.epoch)
        if evidence is StopEvidence.UNKNOWN:
            return False
        await self.store.write(lambda tx: confirm_stopped(tx, execution.fence))
        _log.info("stopped", work=execution.work, execution=execution.id, evidence=evidence.value)
        return True


async def _rows(store: Store, page: Callable[[Tx, T | None], Sequence[T]]) -> AsyncIterator[T]:
    """Yield what pages hold, each read when the one before is done; ``page`` is given the last of that one."""
    after: T | None = None
    while found := await store.read(lambda tx: page(tx, after)):  # noqa: B023 - read before ``after`` changes
        for each in found:
            yield each
        after = found[-1]
