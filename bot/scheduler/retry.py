"""A retry that a person asks for: it ends a backoff, or starts a fresh round after the failures were used up."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.event import Event
from bot.domain.result import Outcome
from bot.domain.timer import TimerKind
from bot.domain.work import Work, WorkState
from bot.storage.contract import Tx

TYPES = frozenset({"core.retry.requested", "core.manual.retry"})
"""The types of events that ask for a retry (C-124)."""


class Refusal(enum.Enum):
    """Why a Work was not retried; nothing was changed."""

    ENDED = "ended"
    """It has ended (C-127)."""
    LIVE = "live"
    """An attempt is live, or parked (C-128)."""
    WAITING = "waiting"
    """It waits for something else (C-128)."""
    OLDER = "older"
    """The request was accepted before the failure that it would clear (C-125)."""
    NOT_FAILED = "not failed"
    """Nothing has failed or was put off: it starts by itself, or waits for input."""


@dataclass(frozen=True, kw_only=True)
class Retried:
    """The Work is ready, with a fresh budget of failures."""

    work: Work


@dataclass(frozen=True, kw_only=True)
class NotRetried:
    """It was refused, and nothing was changed."""

    why: Refusal


def process_retry(tx: Tx, work: Work, event: Event, now: Millis) -> Retried | NotRetried:
    """
    Retry a Work on an event that was accepted for it (C-122).

    The budget of failures begins anew, and so does the count of starts without progress; the numbers of attempts go on
    (C-126). What blocked it is cleared (C-115). A hold stays, and so does the pause of an account. Raises
    ``ValueError`` for an event of another type.
    """
    if event.type not in TYPES:
        raise ValueError(f"{event.type} does not ask for a retry")
    work = tx.works.get(work.id)
    why = refusal(tx, work, event.seq)
    if why is not None:
        return NotRetried(why=why)
    for kind in (TimerKind.RETRY, TimerKind.DEFERRED):
        timer = tx.timers.of_work(work.id, kind)
        if timer is not None:
            tx.timers.remove(timer.id)
    last = tx.executions.of_work(work.id)[-1]
    if last.outcome is Outcome.FAILED:
        # A failure of standing Work keeps what its attempt had taken up: only now is it wanted again.
        tx.inputs.restore(last.id)
    tx.inputs.add(work.id, event, kind="retry")
    fresh = replace(
        work, state=WorkState.READY, failures=0, blocked=None, reason="", waits=(), marks=work.marks.heard()
    )
    return Retried(work=tx.works.save(fresh, now))


def refusal(tx: Tx, work: Work, seq: int) -> Refusal | None:
    """Return why a request that was accepted as number ``seq`` would not retry a Work."""
    if work.state.final:
        return Refusal.ENDED
    if tx.executions.live_of(work.id) is not None:
        return Refusal.LIVE
    if work.state is WorkState.WAITING:
        return Refusal.WAITING
    put_off = tx.timers.of_work(work.id, TimerKind.DEFERRED) is not None
    if not (put_off or work.failures):
        return Refusal.NOT_FAILED
    return Refusal.OLDER if work.failures and seq <= work.failed_seq else None
