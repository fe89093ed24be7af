"""
Recovery: attempts whose holder is gone are claimed again, at a higher epoch, by the ordinary rules.

It is a pass like any other, not a step at start-up. A run is never started in place of one that may exist
(C-58); the one exception is a launch that is known not to have reached its executor (C-59).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.segment import Invoke, Segment
from bot.domain.work import Work
from bot.storage.contract import Tx
from bot.storage.works import Input


@dataclass(frozen=True, kw_only=True)
class Recovered:
    """
    An attempt that is ours now.

    ``relaunch`` says that nothing of it was started since it was claimed or resumed, so that it may be run, or resumed;
    otherwise its run is adopted, or its publishing goes on. ``inputs`` are those that it was started or resumed with.
    """

    work: Work
    execution: Execution
    inputs: tuple[Input, ...]
    relaunch: bool


def relaunchable(execution: Execution) -> bool:
    """
    Whether nothing of this attempt can have been started (C-59, C-65).

    It is still launching, and its executor was never called, or was called inside an isolation that holds every
    process until it is pinned, and pinned nothing.
    """
    if execution.phase is not Phase.LAUNCHING or execution.recovery is not None:
        return False
    segment = execution.segments.open
    return segment.sandbox is None and (segment.invoke is Invoke.PENDING or segment.isolated)


def recover(tx: Tx, execution: Execution, *, owner: str, lease: int, now: Millis) -> Recovered | None:
    """
    Claim an attempt whose lease has lapsed, with its segments joined without a gap (C-38, C-39, C-56).

    The deadline stays: time without a holder is charged, and an attempt that is over it is never relaunched, since
    all that is left to do is to time it out (C-66). Returns None when another host was faster.
    """
    seen, execution = execution, tx.executions.get(execution.id)
    if execution.epoch != seen.epoch:
        return None
    # Decided on the row as it is now: its holder may have called the executor since it was listed as lapsed.
    relaunch = relaunchable(execution) and execution.deadline > now
    publishing = execution.phase is Phase.PUBLISHING
    closed = execution.segments.end(now)
    segment = Segment(
        started_at=closed.kept[-1].ended_at or now,
        recovered=True,
        relaunched=relaunch,
        invoke=Invoke.PENDING if relaunch else Invoke.CALLED,
        # What a run is kept in does not change by its adoption (C-80).
        sandbox=closed.kept[-1].sandbox,
    )
    phase = Phase.LAUNCHING if relaunch else Phase.PUBLISHING if publishing else Phase.RECOVERING
    taken = replace(
        execution,
        phase=phase,
        segments=closed.begin(segment),
        token="" if relaunch else execution.token,
    )
    if not tx.executions.take_over(taken, owner=owner, lease_until=Millis(now + lease), now=now):
        return None
    current = tx.executions.get(execution.id)
    return Recovered(
        work=tx.works.get(current.work),
        execution=current,
        inputs=tuple(tx.inputs.presented(current.work, current.id)),
        relaunch=relaunch,
    )


def adoptable(tx: Tx, fence: Fence) -> bool:
    """
    Whether an attempt whose lease was lost still belongs to recovery (C-71).

    It is unfinished, its Work is open, and its epoch is this one or a later one. Only when it does not belong to
    recovery any more may its former holder stop its processes.
    """
    execution = tx.executions.get(fence.execution)
    open_still = execution.phase is not Phase.FINISHED and not tx.works.get(execution.work).state.final
    return open_still and execution.epoch >= fence.epoch


def confirm_stopped(tx: Tx, fence: Fence) -> bool:
    """
    Free the slot of an ended attempt, on proof that nothing of it is left (C-77).

    An old epoch is refused once the attempt was adopted at another (C-79). Returns whether the slot was freed.
    """
    freed = tx.executions.free_slot(fence)
    if freed:
        tx.threads.touch(tx.works.get(tx.executions.get(fence.execution).work).item)
    return freed
