"""
Budgets at the start: what a start needs must be there, and is taken in the transaction that claims it (C-163).

A budget that is used up holds the Work until a person allows more. One whose rest is reserved for runs under way only
refuses the start, for as long as they run: so runs side by side stay within it together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.budget import MICRO, Budget, Per, Period, shown
from bot.domain.execution import Execution
from bot.domain.hold import Hold, HoldKind
from bot.domain.work import Work
from bot.ids import EventId, HoldId
from bot.scheduler.bars import Bar, bars
from bot.scheduler.notices import notify
from bot.scheduler.records import record
from bot.scheduler.usage import ATTEMPTS, TURNS
from bot.storage.contract import Tx

_USED_BY = {Per.WORK: "by this issue", Per.SCOPE: "in this repository", Per.ALL: "in all repositories"}
_OF = {Per.WORK: "this issue", Per.SCOPE: "this repository", Per.ALL: "all repositories"}
_WHEN = {Period.LIFE: "", Period.DAY: " today", Period.WEEK: " this week"}
_UNTIL = {
    Period.LIFE: "",
    Period.DAY: "; it goes on by itself on the next day (UTC)",
    Period.WEEK: "; it goes on by itself in the next week (UTC)",
}


@dataclass(frozen=True, kw_only=True)
class Shortfall:
    """What a start lacks: OVER_BUDGET or RESERVED, in one budget; ``need`` is what it would take, in millionths."""

    reason: Reason
    bar: Bar
    need: int

    @property
    def refusal(self) -> Refused:
        """The refusal of the start."""
        return Refused(reason=self.reason, detail=self.words)

    @property
    def words(self) -> str:
        """What people are told."""
        bar, unit = self.bar, self.bar.budget.unit
        per, when = bar.budget.per, _WHEN[bar.budget.period]
        if self.reason is Reason.RESERVED:
            return f"{shown(bar.reserved, unit)} {unit} of {_OF[per]}{when} are reserved by runs under way"
        used = f"{shown(bar.used, unit)} of {shown(bar.max, unit)} {unit} used {_USED_BY[per]}{when}"
        takes = "" if bar.used >= bar.max else f", and a start takes {shown(self.need, unit)}"
        return f"{used}{takes}{_UNTIL[bar.budget.period]}"


def shortfall(tx: Tx, work: Work, terms: Terms, now: Millis) -> Shortfall | None:
    """
    Return what a start lacks, what is used up before what is only reserved; None when nothing, or under a pass (C-174).

    A budget of attempts says nothing about going on with one that is parked: that makes no new one.
    """
    if work.budget_pass or not terms.budgets:
        return None
    needs = _needs(tx, work, terms)
    short = None
    for bar in bars(tx, work, terms.budgets, now):
        need = needs.get(bar.budget.unit, 0)
        if bar.budget.unit == ATTEMPTS and not need:
            continue
        if bar.used >= bar.max or bar.used + need > bar.max:
            return Shortfall(reason=Reason.OVER_BUDGET, bar=bar, need=need)
        if short is None and bar.used + bar.reserved + need > bar.max:
            short = Shortfall(reason=Reason.RESERVED, bar=bar, need=need)
    return short


def afford(tx: Tx, work: Work, terms: Terms, now: Millis) -> Refused | None:
    """Return why the budgets do not allow a start, or None when they do."""
    short = shortfall(tx, work, terms, now)
    return None if short is None else short.refusal


def place_budget_hold(tx: Tx, work: Work, short: Shortfall, *, hold: HoldId, event: EventId, now: Millis) -> Work:
    """Hold a Work whose budget is used up, with its event and, where that is new, the notice (C-172, C-178)."""
    bar, budget = short.bar, short.bar.budget
    tx.holds.place(
        Hold(
            id=hold,
            work=work.id,
            kind=HoldKind.BUDGET,
            holder=budget.name,
            reason=short.words,
            revision="",
            details={
                "unit": budget.unit,
                "used": bar.used / MICRO,
                "max": bar.max / MICRO,
                "per": budget.per.value,
                "period": budget.period.value,
            },
            placed_at=now,
        )
    )
    record(tx, work, "core.budget.held", f"budget/{hold}/held", event=event, reason=short.words, now=now)
    notify(tx, work, bar, now)
    return tx.works.save(work, now)


def charge_start(
    tx: Tx, work: Work, execution: Execution, budgets: Sequence[Budget], now: Millis, *, fresh: bool
) -> None:
    """
    Charge an admitted start: a turn, an attempt when it is ``fresh``, and reserve what it is expected to use (C-175).

    This opens every ledger that counts the Work, so that what the run uses is charged to them later.
    """
    charges = {TURNS: MICRO, ATTEMPTS: MICRO if fresh else 0}
    counting = {bar.ledger: bar.budget.unit for bar in bars(tx, work, budgets, now)}
    for ledger, unit in counting.items():
        tx.ledgers.open(ledger, now)
        if charges.get(unit):
            tx.ledgers.charge(ledger, charges[unit], claimed_at=now)
        if execution.binding.estimate.get(unit):
            tx.ledgers.reserve(execution.id, ledger, execution.binding.estimate[unit])
    for bar in bars(tx, work, budgets, now):
        if charges.get(bar.budget.unit):
            notify(tx, work, bar, now)


def allowance(tx: Tx, work: Work, execution: Execution, budgets: Sequence[Budget], now: Millis) -> Mapping[str, float]:
    """
    Return how much an attempt may use, by unit, as far as budgets say; what others have reserved is theirs.

    Its own reservation it may always use, also when a person let it start over budget.
    """
    left: dict[str, int] = {}
    own = tx.ledgers.reservations(execution.id)
    for bar in bars(tx, work, budgets, now):
        unit = bar.budget.unit
        rest = max(bar.max - bar.used - bar.reserved + own.get(unit, 0), own.get(unit, 0))
        if unit not in {TURNS, ATTEMPTS}:
            left[unit] = min(left.get(unit, rest), rest)
    return {unit: rest / MICRO for unit, rest in left.items() if rest > 0}


def _needs(tx: Tx, work: Work, terms: Terms) -> Mapping[str, int]:
    """Return what the next start takes, by unit; a parked attempt goes on with the estimate that it was pinned to."""
    parked = tx.executions.live_of(work.id)
    if parked is not None:
        return {**parked.binding.estimate, TURNS: MICRO}
    return {**terms.estimate, TURNS: MICRO, ATTEMPTS: MICRO}
