"""The passes that take up what was left: lapsed attempts, due timers, overdue attempts, unconfirmed stops."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.execution import Execution
from bot.domain.retry import backoff
from bot.errors import StaleEpochError
from bot.executors.contract import Executor, StopEvidence
from bot.host.attempts import Attempts
from bot.host.start import Lease
from bot.ids import ExecutionId, TimerId, new_id
from bot.scheduler import timers
from bot.scheduler.finish import Finished
from bot.scheduler.recover import confirm_stopped, recover
from bot.scheduler.timeout import overdue, time_out
from bot.storage.contract import Store, Tx

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class RecoverPass:
    """Takes over attempts whose lease has lapsed, and drives them."""

    store: Store
    clock: Clock
    lease: Lease
    attempts: Attempts

    async def run(self) -> None:
        """Take over everything that is due."""
        now = self.clock.now()
        for execution in await self.store.read(lambda tx: tx.executions.lapsed(now)):
            if execution.id in self.attempts.driving():
                # Our own task still has it in hand, and learns by its next renewal that the lease is gone.
                continue
            taken = await self.store.write(
                lambda tx, e=execution: recover(  # type: ignore[misc]
                    tx, e, owner=self.lease.owner, lease=self.lease.length, now=now
                )
            )
            if taken is not None:
                _log.info("recovered", work=taken.work.id, execution=execution.id, epoch=taken.execution.epoch)
                self.attempts.recovered(taken)


@dataclass(frozen=True, kw_only=True)
class TimersPass:
    """Fires due timers and ends attempts that are over their time."""

    store: Store
    clock: Clock
    lease: Lease
    attempts: Attempts

    async def run(self) -> None:
        """Handle everything that is due."""
        now = self.clock.now()
        for timer in await self.store.read(lambda tx: tx.timers.due(now)):
            await self.store.write(lambda tx, t=timer: timers.fire(tx, t, now))  # type: ignore[misc]
        for execution in await self.store.read(lambda tx: overdue(tx, now)):
            # One that another host holds is that host's to end (C-90).
            if execution.lease_until <= now or execution.owner == self.lease.owner:
                await self._time_out(execution, now)

    async def _time_out(self, execution: Execution, now: Millis) -> None:
        timer = TimerId(new_id("tmr"))

        def change(tx: Tx) -> Finished | None:
            fence = execution.fence
            if execution.lease_until <= now:
                # Nobody holds it: it is taken over and ended in one, so that nothing of it is launched again.
                taken = recover(tx, execution, owner=self.lease.owner, lease=self.lease.length, now=now)
                if taken is None:
                    return None
                fence = taken.execution.fence
            return time_out(tx, fence, timer=timer, now=now)

        try:
            ended = await self.store.write(change)
        except StaleEpochError:
            # Somebody else holds it by now; the next pass looks again.
            return
        if ended is not None:
            # Only now: giving up the driving gives the lease back, without which nothing could be ended.
            await self.attempts.abandon(execution.id)
            _log.info("timed_out", work=execution.work, execution=execution.id, epoch=execution.epoch)


@dataclass(kw_only=True)
class StopPass:
    """
    Stops what is left of ended attempts, and frees their slots on proof only (C-77, C-82).

    Each stop runs in a task of its own, since a process may use its whole grace.
    """

    store: Store
    clock: Clock
    executors: Mapping[str, Executor]
    attempts: Attempts
    wake: Callable[[], None]
    _stopping: dict[ExecutionId, asyncio.Task[None]] = field(default_factory=dict)
    _later: dict[ExecutionId, tuple[int, Millis]] = field(default_factory=dict)

    async def run(self) -> None:
        """Begin to stop every ended attempt whose slot is taken still."""
        for execution in await self.store.read(lambda tx: tx.executions.unconfirmed()):
            _, until = self._later.get(execution.id, (0, Millis(0)))
            if execution.id in self._stopping or until > self.clock.now():
                continue
            task = asyncio.create_task(self._stop(execution), name=f"stop {execution.id}")
            self._stopping[execution.id] = task
            task.add_done_callback(lambda _, e=execution.id: self._ended(e))  # type: ignore[misc]

    async def close(self) -> None:
        """Give up the stops that are under way; the next host begins them again."""
        tasks = list(self._stopping.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _ended(self, execution: ExecutionId) -> None:
        self._stopping.pop(execution, None)
        self.wake()

    async def _stop(self, execution: Execution) -> None:
        await self.attempts.abandon(execution.id)
        executor = self.executors.get(execution.binding.executor)
        evidence = StopEvidence.UNKNOWN
        try:
            if executor is not None:
                evidence = await executor.stop(execution.id, execution.epoch)
        except Exception as error:  # noqa: BLE001 - a failed stop is tried again, and stops nothing else
            _log.warning("stop_failed", execution=execution.id, exc_info=error)
        if evidence is StopEvidence.UNKNOWN:
            tries = self._later.get(execution.id, (0, Millis(0)))[0] + 1
            wait = backoff(tries, base=SECOND, most=5 * MINUTE)
            self._later[execution.id] = (tries, Millis(self.clock.now() + wait))
            return
        self._later.pop(execution.id, None)
        await self.store.write(lambda tx: confirm_stopped(tx, execution.fence))
        _log.info("stopped", work=execution.work, execution=execution.id, evidence=evidence.value)
