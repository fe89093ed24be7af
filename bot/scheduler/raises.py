"""Raising the cap of one Work, and lifting what a budget held when the budget allows a start again."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.admission import Reason, Terms
from bot.domain.hold import HoldKind, HoldState
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.bars import bars
from bot.scheduler.budgets import shortfall
from bot.scheduler.records import record
from bot.storage.contract import Tx
from bot.storage.ledgers import Raise

ALLOWED_AGAIN = "the budget allows it again"


class Raised(enum.Enum):
    """What became of a raise."""

    DONE = "done"
    NO_BUDGET = "no budget"
    """No budget of this unit counts this Work alone, for good: there is nothing to raise."""
    NO_CEILING = "no ceiling"
    """The operator has not said how far people may raise this unit."""
    OVER_CEILING = "over ceiling"


@dataclass(frozen=True, kw_only=True)
class RaiseAnswer:
    """
    What became of a raise, in millionths: ``cap`` is what is allowed now, of at most ``ceiling``.

    ``lifted`` is whether no budget holds the Work any more.
    """

    raised: Raised
    cap: int = 0
    ceiling: int = 0
    lifted: bool = False


def raise_budget(tx: Tx, work: Work, entry: Raise, terms: Terms, *, event: EventId, now: Millis) -> RaiseAnswer:
    """
    Raise what the runs of a playbook on an item may use over their life; what they have used stays used (ag-H04).

    A source raises once. ``event`` is the identity of the event that records it.
    """
    unit, ceiling = entry.unit, terms.ceiling.get(entry.unit)
    caps = _caps(tx, work, terms, unit, now)
    if not caps:
        return RaiseAnswer(raised=Raised.NO_BUDGET)
    if ceiling is None:
        return RaiseAnswer(raised=Raised.NO_CEILING, cap=min(caps))
    if min(caps) + entry.amount > ceiling:
        return RaiseAnswer(raised=Raised.OVER_CEILING, cap=min(caps), ceiling=ceiling)
    if tx.ledgers.add_raise(entry):
        key = f"budget/{entry.source}/raised"
        reason = f"{entry.unit} raised by {entry.amount} millionths"
        record(tx, work, "core.budget.raised", key, event=event, by=entry.login, reason=reason, now=now)
        # Also when nothing is lifted by it: the cap that the thread shows is another one.
        tx.threads.touch(work.item)
    lifted = lift(tx, work, terms, by=entry.login, reason="the budget was raised", now=now)
    return RaiseAnswer(raised=Raised.DONE, cap=min(_caps(tx, work, terms, unit, now)), ceiling=ceiling, lifted=lifted)


def lift(tx: Tx, work: Work, terms: Terms, *, by: str, reason: str, now: Millis) -> bool:
    """
    Lift a Work's budget holds if no budget is used up any more: raised, configured anew, or counted in a new window.

    No pass is left: the next start is checked as any other. Returns whether no budget holds the Work now.
    """
    if not liftable(tx, work, terms, now):
        return False
    held = [hold for hold in tx.holds.open(work.id) if hold.kind is HoldKind.BUDGET]
    for hold in held:
        tx.holds.settle(hold.id, HoldState.RELEASED, by=by, reason=reason, now=now)
        key = f"budget/{hold.id}/released"
        record(tx, work, "core.budget.released", key, event=EventId(key), by=by, reason=reason, now=now)
    if held:
        tx.threads.touch(work.item)
    return True


def liftable(tx: Tx, work: Work, terms: Terms, now: Millis) -> bool:
    """Whether a Work that a budget holds may be let go on; only reads."""
    short = shortfall(tx, work, terms, now)
    return short is None or short.reason is not Reason.OVER_BUDGET


def _caps(tx: Tx, work: Work, terms: Terms, unit: str, now: Millis) -> list[int]:
    return [bar.max for bar in bars(tx, work, terms.budgets, now) if bar.budget.raisable and bar.budget.unit == unit]
