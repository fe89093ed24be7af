"""The end of an attempt and what follows for its Work, in one fenced transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Ending, Outcome
from bot.domain.retry import RetryAt, after_failure
from bot.domain.timer import Timer, TimerKind
from bot.domain.work import Work, WorkState
from bot.ids import TimerId
from bot.scheduler.cancel import leave
from bot.scheduler.launch import held
from bot.scheduler.turns import publish_turn
from bot.storage.contract import Tx


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The attempt has ended; ``work`` is what followed."""

    work: Work
    execution: Execution


@dataclass(frozen=True, kw_only=True)
class Overtaken:
    """Completion must not overtake accepted events that are not routed yet (C-85): route, then finish."""


def finish(tx: Tx, fence: Fence, ending: Ending, *, timer: TimerId, stopped: bool, now: Millis) -> Finished | Overtaken:
    """
    End the attempt and move its Work on.

    ``stopped`` is whether the end of its processes was observed; without it the slot stays taken until a stop
    is confirmed (C-54, C-75). Raises ``StaleEpochError``.
    """
    execution = held(tx, fence, now)
    if ending.outcome is Outcome.COMPLETED and tx.events.unrouted_for(execution.work):
        return Overtaken()
    return conclude(tx, execution, ending, timer=timer, stopped=stopped, now=now)


def conclude(tx: Tx, execution: Execution, ending: Ending, *, timer: TimerId, stopped: bool, now: Millis) -> Finished:
    """End an attempt that was just read under its fence, whatever is not routed yet. Raises ``StaleEpochError``."""
    work = tx.works.get(execution.work)
    ended = replace(
        execution,
        phase=Phase.FINISHED,
        slot=not stopped,
        segments=execution.segments.end(now),
        ended_at=now,
        outcome=ending.outcome,
        status=ending.status,
        summary=ending.summary,
        token="",
    )
    tx.executions.write(ended, now)
    result = execution.result
    if result is not None and result.turn is not None:
        publish_turn(tx, work, execution, result.turn, now)
    counted = work.charged({} if result is None else result.units)
    return Finished(work=_follow(tx, counted, ended, ending, timer=timer, now=now), execution=ended)


def _follow(tx: Tx, work: Work, execution: Execution, ending: Ending, *, timer: TimerId, now: Millis) -> Work:
    shown = replace(work, status=ending.status, comment=ending.comment)
    match ending.outcome:
        case Outcome.FAILED:
            return _failed(tx, shown, execution, ending, timer=timer, now=now)
        case Outcome.COMPLETED if not tx.inputs.pending(work.id):
            leave(tx, work.id, by="", reason="the Work is done", now=now)
            done = replace(shown, state=WorkState.COMPLETED, failures=0, waits=(), ended_at=now)
            return tx.works.save(done, now)
        case Outcome.WAITING:
            awaited = any(entry.kind in ending.waits for entry in tx.inputs.pending(work.id))
            state = WorkState.READY if awaited else WorkState.WAITING
            waits = () if awaited else ending.waits
            return tx.works.save(replace(shown, state=state, waits=waits, failures=0), now)
        case Outcome.COMPLETED | Outcome.HANDOFF:
            return tx.works.save(replace(shown, state=WorkState.READY, waits=(), failures=0), now)
        case Outcome.CANCELLED:
            raise ValueError("an attempt is cancelled with its Work, not by an ending of its own")


def _failed(tx: Tx, work: Work, execution: Execution, ending: Ending, *, timer: TimerId, now: Millis) -> Work:
    tx.inputs.restore(execution.id)
    failures = work.failures + 1
    failed = replace(work, failures=failures, failed_seq=tx.events.newest(), reason=ending.summary, waits=())
    next_step = after_failure(execution.binding.retry, failures, now, permanent=ending.permanent)
    if isinstance(next_step, RetryAt):
        tx.timers.arm(
            Timer(
                id=timer,
                work=work.id,
                kind=TimerKind.RETRY,
                due_at=next_step.due_at,
                generation=execution.number,
                cause=execution.trigger,
            )
        )
        return tx.works.save(replace(failed, state=WorkState.READY), now)
    return tx.works.save(replace(failed, state=WorkState.EXHAUSTED, blocked=next_step), now)
