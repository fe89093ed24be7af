"""The end of an attempt and what follows for its Work, in one fenced transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.hold import DEFERRAL
from bot.domain.kind import Lifecycle
from bot.domain.result import Deferral, Ending, Outcome
from bot.domain.retry import Rest, RetryAt, after_failure
from bot.domain.timer import Timer, TimerKind
from bot.domain.work import BlockedReason, Work, WorkState
from bot.ids import EventId, HoldId, TimerId
from bot.scheduler.accounts import account_proven, pause_account
from bot.scheduler.brakes import not_started
from bot.scheduler.cancel import leave
from bot.scheduler.handoff import go_on
from bot.scheduler.holds import place_operator_hold
from bot.scheduler.launch import held
from bot.scheduler.turns import publish_turn
from bot.scheduler.usage import reported, stage
from bot.scheduler.waits import register
from bot.storage.contract import Tx

INVALID_HINT = "The time that was named for another try is past or too far away, so nothing is tried again by itself."
"""What people are told when an executor's hint makes no sense (C-111)."""
PROGRESS = frozenset({Outcome.COMPLETED, Outcome.WAITING, Outcome.HANDOFF})
"""The ends whose status word can show progress."""


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
    if _completes(ending.outcome, execution.binding.lifecycle) and tx.events.unrouted_for(execution.work):
        return Overtaken()
    return conclude(tx, execution, ending, timer=timer, stopped=stopped, now=now)


def conclude(tx: Tx, execution: Execution, ending: Ending, *, timer: TimerId, stopped: bool, now: Millis) -> Finished:
    """End an attempt that was just read under its fence, whatever is not routed yet. Raises ``StaleEpochError``."""
    work = tx.works.get(execution.work)
    result = execution.result
    units = reported(execution, result)
    staged = stage(tx, execution, units, now, deferred=ending.outcome is Outcome.DEFERRED)
    ended = replace(
        staged,
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
    if result is not None and result.turn is not None:
        publish_turn(tx, work, execution, result.turn, now)
    if ending.outcome is not Outcome.DEFERRED:
        account_proven(tx, ended)
    counted = work.charged(units)
    return Finished(work=_follow(tx, counted, ended, ending, timer=timer, now=now), execution=ended)


def _follow(tx: Tx, work: Work, execution: Execution, ending: Ending, *, timer: TimerId, now: Millis) -> Work:
    shown = replace(work, status=ending.status, comment=ending.comment)
    if ending.outcome in PROGRESS:
        shown = replace(shown, marks=shown.marks.ended(ending.status))
    idle = replace(shown, state=WorkState.READY, waits=(), failures=0)
    match ending.outcome:
        case Outcome.FAILED:
            return _failed(tx, shown, execution, ending, timer=timer, now=now)
        case Outcome.DEFERRED if ending.deferral is not None:
            # What the last attempt that counts has said still stands.
            return _deferred(tx, work, execution, ending.deferral, timer=timer, now=now)
        case Outcome.WAITING if ending.awaited is not None:
            return register(tx, replace(shown, failures=0), ending.awaited, execution, timer=timer, now=now)
        case Outcome.COMPLETED | Outcome.HANDOFF if _completes(ending.outcome, execution.binding.lifecycle):
            return _completed(tx, idle, now)
        case Outcome.HANDOFF if execution.binding.continues:
            return tx.works.save(go_on(tx, idle, execution, now), now)
        case Outcome.COMPLETED | Outcome.HANDOFF:
            return tx.works.save(idle, now)
        case _:
            raise ValueError(f"an attempt does not end as {ending.outcome.value} by an ending of its own")


def _completes(outcome: Outcome, lifecycle: Lifecycle) -> bool:
    """Whether an end completes the Work (C-31, C-32)."""
    if lifecycle is Lifecycle.RUN_ONCE:
        return outcome in {Outcome.COMPLETED, Outcome.HANDOFF}
    return lifecycle is Lifecycle.PLAIN and outcome is Outcome.COMPLETED


def _completed(tx: Tx, work: Work, now: Millis) -> Work:
    """Complete a Work; input that came meanwhile leaves it ready for another attempt instead (C-85)."""
    if tx.inputs.pending(work.id):
        return tx.works.save(work, now)
    leave(tx, work.id, by="", reason="the Work is done", now=now)
    return tx.works.save(replace(work, state=WorkState.COMPLETED, ended_at=now), now)


def _failed(tx: Tx, work: Work, execution: Execution, ending: Ending, *, timer: TimerId, now: Millis) -> Work:
    binding = execution.binding
    failures = work.failures + 1
    failed = replace(work, failures=failures, failed_seq=tx.events.newest(), reason=ending.summary, waits=())
    next_step = after_failure(
        binding.retry,
        failures,
        now,
        permanent=ending.permanent,
        hint=ending.hint,
        lifecycle=binding.lifecycle,
    )
    if isinstance(next_step, Rest):
        # What the attempt had taken up stays taken up: another try would be a retry.
        return tx.works.save(replace(failed, state=WorkState.READY), now)
    tx.inputs.restore(execution.id)
    if next_step is BlockedReason.INVALID_HINT:
        failed = replace(failed, reason=f"{ending.summary.rstrip('.')}. {INVALID_HINT}".lstrip(". "))
    if isinstance(next_step, RetryAt):
        tx.timers.arm(_timer(timer, TimerKind.RETRY, execution, next_step.due_at))
        return tx.works.save(replace(failed, state=WorkState.READY), now)
    if binding.terminal:
        leave(tx, work.id, by="", reason=ending.summary, now=now)
        ended = replace(failed, state=WorkState.FAILED, blocked=next_step, gate_pass=None, ended_at=now)
        return tx.works.save(ended, now)
    return tx.works.save(replace(failed, state=WorkState.EXHAUSTED, blocked=next_step), now)


def _deferred(tx: Tx, work: Work, execution: Execution, deferral: Deferral, *, timer: TimerId, now: Millis) -> Work:
    """
    Put a Work back as if the attempt had not been: it counts no failure and no start, and its input is pending again.

    What it waits for is the account that its runs use, when the deferral names that one; else the time that it names;
    else a person.
    """
    tx.inputs.restore(execution.id)
    until = deferral.due(now)
    own = deferral.account is not None and deferral.account == execution.binding.account
    if deferral.account is not None and (own or until is not None):
        pause_account(tx, execution, deferral, until=until, now=now)
    if until is not None and not own:
        tx.timers.arm(_timer(timer, TimerKind.DEFERRED, execution, until))
    counted = not_started(tx, work, execution)
    idle = replace(counted, state=WorkState.READY, status=None, reason=deferral.reason, waits=())
    put_off = tx.works.save(idle, now)
    if until is not None or own:
        return put_off
    hold, event = HoldId(f"hld-{execution.id}"), EventId(f"deferred/{execution.id}")
    return place_operator_hold(tx, put_off, hold=hold, holder=DEFERRAL, reason=deferral.reason, event=event, now=now)


def _timer(identity: TimerId, kind: TimerKind, execution: Execution, due_at: Millis) -> Timer:
    return Timer(
        id=identity,
        work=execution.work,
        kind=kind,
        due_at=due_at,
        generation=execution.number,
        cause=execution.trigger,
    )
