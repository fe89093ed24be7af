"""Whether a Work may start now, and if not, why: one answer for the claim, ``/status`` and every view."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.admission import JOBS, Admit, CapacityCode, Limits, Reason, Refused, Terms
from bot.domain.timer import TimerKind
from bot.domain.work import Work, WorkState
from bot.ids import ScopeId
from bot.scheduler.accounts import account_refusal
from bot.scheduler.brakes import brake_refusal
from bot.scheduler.budgets import afford
from bot.storage.contract import Tx

_BY_STATE = {
    WorkState.COMPLETED: Reason.ENDED,
    WorkState.CANCELLED: Reason.ENDED,
    WorkState.FAILED: Reason.ENDED,
    WorkState.RUNNING: Reason.RUNNING,
    WorkState.EXHAUSTED: Reason.EXHAUSTED,
    WorkState.WAITING: Reason.WAITING,
}
_BY_TIMER = {TimerKind.RETRY: Reason.RETRY_DUE, TimerKind.DEFERRED: Reason.DEFERRED}


def admission(tx: Tx, work: Work, now: Millis, *, terms: Terms) -> Admit | Refused:
    """
    Decide whether a Work may start at ``now``.

    Asked in the order in which a person would want to hear it: ended or running, input, held, put off, its account, a
    brake, capacity, budgets.
    """
    answer = startable(tx, work, now, terms=terms)
    return answer if isinstance(answer, Refused) else afford(tx, work, terms, now) or answer


def startable(tx: Tx, work: Work, now: Millis, *, terms: Terms) -> Admit | Refused:
    """Decide whether a Work may start as far as budgets are not concerned: they are asked behind the start gates."""
    parked = tx.executions.live_of(work.id)
    # A parked attempt goes on in the pool and on the account that it was pinned to.
    pool, account = (terms.pool, terms.account) if parked is None else (parked.binding.pool, parked.binding.account)
    return (
        eligible(tx, work, now)
        or account_refusal(tx, account, now)
        or (brake_refusal(tx, work, terms.brakes, now) if parked is None else None)
        or capacity(tx, work.scope, limits=terms.limits, pool=pool)
    )


def eligible(tx: Tx, work: Work, now: Millis) -> Refused | None:
    """Return what in the Work itself keeps it from starting; a gate is asked only when nothing does (C-181)."""
    if work.state in _BY_STATE:
        return Refused(reason=_BY_STATE[work.state])
    if not tx.inputs.pending(work.id):
        return Refused(reason=Reason.NO_INPUT)
    holds = tx.holds.open(work.id)
    if holds:
        return Refused(reason=Reason.HELD, detail=holds[0].reason)
    for kind, reason in _BY_TIMER.items():
        timer = tx.timers.of_work(work.id, kind)
        if timer is not None:
            # A due clock alone never clears this: the timer driver must have fired it (C-123).
            return Refused(reason=reason, until=max(timer.due_at, now))
    if tx.executions.stopping(work.id):
        return Refused(reason=Reason.STOPPING)
    return None


def capacity(tx: Tx, scope: ScopeId, *, limits: Limits, pool: str) -> Admit | Refused:
    """Decide whether a slot is free in the pool, the scope and each of its ancestors (C-6, C-143 … C-146)."""
    limit = limits.pool(pool)
    taken = tx.executions.slots_of_pool(pool)
    if taken >= limit:
        code = CapacityCode.JOB_CONCURRENCY if pool == JOBS else CapacityCode.CONCURRENCY
        return Refused(reason=Reason.POOL_FULL, detail=f"{taken} of {limit} {pool} busy", code=code)
    bounded = dict(limits.scopes)
    for ancestor in tx.scopes.line(scope):
        if ancestor in bounded and tx.executions.slots_of_scope(ancestor) >= bounded[ancestor]:
            found = tx.scopes.get(ancestor)
            name = found.name if found is not None and found.name else str(ancestor)
            detail = f"{bounded[ancestor]} of {bounded[ancestor]} in {name}"
            return Refused(reason=Reason.SCOPE_FULL, detail=detail, code=CapacityCode.SCOPE)
    return Admit()
