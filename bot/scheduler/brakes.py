"""
Brakes: a Work that starts again and again without getting anywhere is held until a person looks (ag-C02, ag-H08).

Progress is a person's input, a new commit that was published, or a new status word. No bot can lift a brake's hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import DAY, HOUR, Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.brake import Brakes
from bot.domain.execution import Execution, Fence
from bot.domain.hold import BRAKE
from bot.domain.work import Work
from bot.ids import EventId, HoldId, WorkId
from bot.scheduler.holds import place_operator_hold
from bot.scheduler.launch import held
from bot.storage.contract import Tx

PROGRESS = frozenset({"comment", "review"})
"""The kinds of input by which a person brings a Work on."""
_HASH = 7


@dataclass(frozen=True, kw_only=True)
class Braked:
    """A brake holds the Work; its hold is written."""

    work: Work


def brake_refusal(tx: Tx, work: Work, brakes: Brakes, now: Millis) -> Refused | None:
    """Return which brake keeps a Work from starting, before its hold is written."""
    recent = len(work.marks.recent(now, brakes.window))
    if recent >= brakes.starts:
        return Refused(reason=Reason.BRAKE, detail=f"{recent} starts without progress in {brakes.window / HOUR:g} h")
    today = tx.starts.on_day_of(work.scope, now)
    if today >= brakes.repository_starts and work.marks.waived != now // DAY:
        scope = tx.scopes.get(work.scope)
        name = scope.name if scope is not None and scope.name else str(work.scope)
        return Refused(reason=Reason.BRAKE, detail=f"{today} starts in {name} today")
    return None


def brake(tx: Tx, work: WorkId, *, terms: Terms, hold: HoldId, event: EventId, now: Millis) -> Braked | None:
    """Hold a Work whose brake trips, or return None when none does: what tripped it may have changed meanwhile."""
    found = tx.works.get(work)
    refused = None if found.state.final or tx.holds.open(work) else brake_refusal(tx, found, terms.brakes, now)
    if refused is None:
        return None
    return Braked(work=_hold(tx, found, refused.detail, hold=hold, event=event, now=now))


def started(tx: Tx, work: Work, brakes: Brakes, now: Millis) -> Work:
    """
    Count the start of a fresh attempt, of the Work and of its repository, and return the Work to save.

    Going on with a parked one is no start: what it may still take is bounded by what is left of its time.
    """
    tx.starts.add(work.scope, now)
    return replace(work, marks=work.marks.started(now, brakes.window))


def not_started(tx: Tx, work: Work, execution: Execution) -> Work:
    """Take back the start of an attempt that was put off through no fault of its own; the Work is not saved."""
    starts = work.marks.starts
    tx.starts.add(work.scope, starts[-1] if starts else execution.started_at, -1)
    return replace(work, marks=work.marks.not_started())


def published(tx: Tx, fence: Fence, head: str, now: Millis) -> Work:
    """Note the commit that an attempt published, under its fence. Raises ``StaleEpochError``."""
    work = tx.works.get(held(tx, fence, now).work)
    marks = work.marks.published(head)
    return work if marks == work.marks else tx.works.save(replace(work, marks=marks), now)


def red_head(tx: Tx, work: Work, head: str, *, brakes: Brakes, hold: HoldId, event: EventId, now: Millis) -> Work:
    """
    Note that the checks of a commit failed; so many distinct ones in a row hold the Work, with them as the evidence.

    Told again of the same commit, nothing changes (ag-C10).
    """
    if work.state.final or head in work.marks.reds:
        return work
    reds = (*work.marks.reds, head)
    noted = tx.works.save(replace(work, marks=replace(work.marks, reds=reds)), now)
    if len(reds) < brakes.red_heads:
        return noted
    shown = ", ".join(red[:_HASH] for red in reds)
    return _hold(tx, noted, f"{len(reds)} failing commits in a row: {shown}", hold=hold, event=event, now=now)


def green_head(tx: Tx, work: Work, now: Millis) -> Work:
    """Note that all checks of a commit passed: the count of failing ones begins anew (ag-C10)."""
    if work.state.final or not work.marks.reds:
        return work
    return tx.works.save(replace(work, marks=replace(work.marks, reds=())), now)


def _hold(tx: Tx, work: Work, reason: str, *, hold: HoldId, event: EventId, now: Millis) -> Work:
    return place_operator_hold(tx, work, hold=hold, holder=BRAKE, reason=reason, event=event, now=now)
