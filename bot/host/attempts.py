"""
The life of one attempt on this host, from its claim or recovery to its end, under one lease.

::

    claimed    → order → launch.begin → executor.run     → launch.confirm ┐
    resumed    → order → launch.begin → executor.resume  → launch.confirm ┤
    recovered  → order →                executor.recover → launch.confirm ┤
    publishing ──────────────────────────────────────────────────────────┐│
                                        finish ← publish ← store_result ←┘┴ wait
                                                           park, suspended ←──┘

Each arrow is a point where the host may be killed; the attempt is then recovered from what is stored. What
must be waited for, such as another try to publish, is never waited for here: the attempt is given back with
the time at which it is due, and recovery takes it up again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import structlog

from bot.clock import MINUTE, SECOND, Clock, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.kind import Capability
from bot.domain.result import Ending, Outcome, Result
from bot.domain.retry import backoff
from bot.domain.wait import Awaited
from bot.domain.work import Work
from bot.errors import (
    EnvironmentUnavailableError,
    ExecutorError,
    PublishError,
    StaleEpochError,
    StorageError,
    TrackerError,
    TracksideError,
)
from bot.executors.contract import Handle, HintsRetry
from bot.host.faults import contained
from bot.host.handles import Handles
from bot.host.launching import Launching, Taken
from bot.ids import ExecutionId, TimerId, new_id
from bot.playbook.outcome import Decision, outcome
from bot.playbook.playbook import Playbook
from bot.scheduler import lease
from bot.scheduler.claim import Claimed
from bot.scheduler.finish import Overtaken, finish
from bot.scheduler.observe import postpone_publishing, store_result
from bot.scheduler.park import Parked, park
from bot.scheduler.recover import Recovered
from bot.storage.contract import Store, Tx

PUBLISH_TRIES = 10

_log = structlog.get_logger(__name__)


class Publish(Protocol):
    """Publishes what an attempt made."""

    async def publish(self, work: Work, execution: Execution, decision: Decision) -> str:
        """
        Push the branch, open or update the pull request, and record it, under the fence. Idempotent.

        Returns what people should know about it beside what the run says, empty when there is nothing.

        Raises ``PublishError``, ``TrackerError`` and ``StaleEpochError``.
        """
        ...


@dataclass(kw_only=True)
class Attempts:
    """
    Drives attempts, each in a task of its own.

    ``lease_length`` is in milliseconds. Leases are renewed on ``ticks``, and looked at on ``watch``.
    """

    store: Store
    clock: Clock
    launching: Launching
    publisher: Publish
    lease_length: int
    ticks: Callable[[], AsyncIterator[None]]
    watch: Callable[[], AsyncIterator[None]]
    wake: Callable[[], None]
    handles: Handles = field(default_factory=Handles)
    _running: dict[ExecutionId, asyncio.Task[None]] = field(default_factory=dict)

    def claimed(self, claimed: Claimed) -> None:
        """Drive a fresh attempt."""
        self._start(Taken(work=claimed.work, execution=claimed.execution, inputs=claimed.inputs, adopt=False))

    def recovered(self, recovered: Recovered) -> None:
        """Drive an attempt that was taken over."""
        self._start(
            Taken(
                work=recovered.work,
                execution=recovered.execution,
                inputs=recovered.inputs,
                adopt=not recovered.relaunch,
            )
        )

    def driving(self) -> frozenset[ExecutionId]:
        """Return the attempts that are driven here now."""
        return frozenset(self._running)

    async def abandon(self, execution: ExecutionId) -> None:
        """Stop driving an attempt; says nothing about its processes."""
        task = self._running.get(execution)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """Stop driving everything and give the leases back, so that the attempts can be adopted at once."""
        for execution in list(self._running):
            await self.abandon(execution)

    def _start(self, taken: Taken) -> None:
        execution = taken.execution
        task = asyncio.create_task(self._drive(taken), name=f"attempt {execution.id}/{execution.epoch}")
        self._running[execution.id] = task
        task.add_done_callback(lambda _: self._ended(execution.id))

    def _ended(self, execution: ExecutionId) -> None:
        self._running.pop(execution, None)
        self.wake()

    async def _drive(self, taken: Taken) -> None:
        fence = taken.execution.fence
        log = _log.bind(work=taken.work.id, execution=fence.execution, epoch=fence.epoch)
        try:
            await lease.hold(fence, self._keep(taken.execution), self._live(taken))
        except StaleEpochError:
            log.info("attempt_lost")
        except asyncio.CancelledError:
            await self._give_back(fence, self.clock.now())
            raise
        except (StorageError, TrackerError) as error:
            # Recovery takes the attempt up again, when the database or the tracker may be back.
            log.warning("attempt_interrupted", reason=str(error))
            await self._give_back(fence, Millis(self.clock.now() + MINUTE))
        except Exception as error:  # noqa: BLE001 - whatever it is, it must end as a failure that people see
            await self._broken(fence, log, error)

    async def _broken(self, fence: Fence, log: structlog.typing.FilteringBoundLogger, error: Exception) -> None:
        """End an attempt that met a fault of ours: a failure like any other, so that it is bounded and shown."""
        error_id = new_id("err")
        log.error("attempt_broken", error_id=error_id, exc_info=error)
        summary = f"internal error {error_id}; the log of the bot explains it"
        ending = Ending(outcome=Outcome.FAILED, comment=summary, summary=summary)
        try:
            await self._finish(fence, ending, stopped=False)
        except TracksideError:
            log.exception("attempt_not_ended", error_id=error_id)
            await self._give_back(fence, Millis(self.clock.now() + MINUTE))

    async def _live(self, taken: Taken) -> None:
        execution = taken.execution
        if execution.phase is not Phase.PUBLISHING:
            result = await self._observed(taken)
            if result is None:
                return
            if result.suspension is not None:
                if Capability.RESUME in execution.binding.capabilities:
                    await self._park(taken, result)
                    return
                result = _not_resumable(execution, result)
            execution = await self._write(lambda tx, now: store_result(tx, execution.fence, result, now))
            self.wake()
        await self._conclude(execution)

    async def _observed(self, taken: Taken) -> Result | None:
        """Launch or adopt the run and wait for its result; None when that failed, and the attempt with it."""
        fence = taken.execution.fence
        try:
            handle = await self._handle(taken)
        except ExecutorError as error:
            await self._failed(fence, error)
            return None
        try:
            with self.handles.holding(fence, handle), contained():
                return await handle.wait()
        except ExecutorError as error:
            cause = f"{error.code}: {error}"
            _log.warning("observation_failed", execution=fence.execution, epoch=fence.epoch, cause=cause)
            await self._failed(fence, error, what="executor observation failed")
            return None

    async def _park(self, taken: Taken, result: Result) -> None:
        """Park a run that was observed to have stopped inside its turn; it keeps its word until it says another."""
        fence, timer = taken.execution.fence, TimerId(new_id("tmr"))
        status = taken.work.status
        answer = await self._write(lambda tx, now: park(tx, fence, result, status=status, timer=timer, now=now))
        event = "parked" if isinstance(answer, Parked) else "timed_out"
        _log.info(event, work=taken.work.id, execution=fence.execution, epoch=fence.epoch)
        self.wake()

    async def _handle(self, taken: Taken) -> Handle:
        execution = taken.execution
        handle = await self.launching.handle(taken)
        event = "adopted" if taken.adopt else "launched"
        _log.info(event, work=execution.work, execution=execution.id, epoch=execution.epoch)
        self.wake()
        return handle

    async def _conclude(self, execution: Execution) -> None:
        result = execution.result or Result(ok=False, summary="the result was lost")
        decision = outcome(Playbook.from_document(execution.binding.playbook), result)
        note = ""
        if decision.publish and decision.kind is not Outcome.FAILED:
            try:
                work = await self.store.read(lambda tx: tx.works.get(execution.work))
                note = await self.publisher.publish(work, execution, decision)
            except (PublishError, TrackerError) as error:
                await self._publish_failed(execution, error)
                return
        ending = Ending(
            outcome=decision.kind,
            status=decision.status or None,
            comment="\n\n".join(filter(None, (note, decision.comment))),
            awaited=Awaited(kinds=decision.wait) if decision.kind is Outcome.WAITING else None,
            summary=result.summary if result.deferral is None else result.deferral.reason,
            permanent=result.permanent,
            hint=result.hint,
            deferral=result.deferral,
        )
        await self._finish(execution.fence, ending, stopped=True)

    async def _publish_failed(self, execution: Execution, error: TracksideError) -> None:
        permanent = isinstance(error, PublishError) and error.permanent
        tries = execution.publish_tries + 1
        if permanent or tries >= PUBLISH_TRIES:
            turn = None if execution.result is None else execution.result.turn
            ending = Ending(
                outcome=Outcome.FAILED,
                comment="" if turn is None else turn.comment,
                summary=f"publishing failed: {error}",
                permanent=True,
            )
            await self._finish(execution.fence, ending, stopped=True)
            return
        now = self.clock.now()
        until = Millis(now + backoff(tries, base=2 * SECOND, most=5 * MINUTE))
        reason = f"publishing failed, next try soon: {error}"
        await self._write(lambda tx, now: postpone_publishing(tx, execution.fence, until=until, reason=reason, now=now))
        await self._give_back(execution.fence, until)

    async def _failed(self, fence: Fence, error: ExecutorError, *, what: str = "executor failed") -> None:
        called = not isinstance(error, EnvironmentUnavailableError)
        summary = f"{what}: {error.code}: {error}" if called else str(error)
        hint = error.retry_hint if isinstance(error, HintsRetry) else None
        ending = Ending(outcome=Outcome.FAILED, comment=summary, summary=summary, permanent=error.permanent, hint=hint)
        # What may be running of it is stopped by the stop pass, which frees the slot on proof.
        await self._finish(fence, ending, stopped=False)

    async def _finish(self, fence: Fence, ending: Ending, *, stopped: bool) -> None:
        timer = TimerId(new_id("tmr"))
        answer = await self._write(lambda tx, now: finish(tx, fence, ending, timer=timer, stopped=stopped, now=now))
        if isinstance(answer, Overtaken):
            # Events of this Work are not routed yet. Recovery comes back when that may have been done.
            await self._give_back(fence, Millis(self.clock.now() + SECOND))
        else:
            outcome, status, blocked = ending.outcome.value, ending.status, answer.work.blocked
            told = {"outcome": outcome, "status": status} | ({"retry.blocked_reason": blocked.value} if blocked else {})
            _log.info("finished", execution=fence.execution, epoch=fence.epoch, **told)
        self.wake()

    def _keep(self, execution: Execution) -> lease.Keep:
        return lease.Keep(
            ticks=self.ticks(),
            watch=self.watch(),
            renew=self._renew,
            now=self.clock.now,
            length=self.lease_length,
            until=execution.lease_until,
        )

    async def _renew(self, fence: Fence) -> None:
        await self._write(lambda tx, now: tx.executions.renew(fence, now=now, lease=self.lease_length))

    async def _give_back(self, fence: Fence, due: Millis) -> None:
        now = self.clock.now()
        try:
            await self.store.write(lambda tx: tx.executions.release(fence, now=now, due=due))
        except StorageError as error:
            # Then the lease lapses by itself, and the attempt is taken up a little later.
            _log.warning("lease_not_given_back", execution=fence.execution, epoch=fence.epoch, reason=str(error))

    async def _write(self, change: Callable[[Tx, Millis], Any]) -> Any:  # noqa: ANN401 - the change's own value
        now = self.clock.now()
        return await self.store.write(lambda tx: change(tx, now))


def _not_resumable(execution: Execution, result: Result) -> Result:
    """Return the result of a run that stopped to be resumed, which its executor cannot: trying again cannot help."""
    summary = f"the run stopped to wait, and the executor {execution.binding.executor!r} cannot resume one"
    return replace(result, ok=False, permanent=True, suspension=None, summary=summary)
