"""Operator holds, and the release of what a person may lift. A gate's hold is never lifted here (C-187, C-192)."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from bot.clock import DAY, Millis
from bot.domain.hold import BRAKE, Hold, HoldKind, HoldState
from bot.domain.work import Work
from bot.ids import EventId, HoldId
from bot.scheduler.records import record
from bot.storage.contract import Tx


class Released(enum.Enum):
    """What became of a release."""

    DONE = "done"
    ALREADY = "already"
    """It was settled before; nothing changed."""
    GATE = "gate"
    """A gate holds the Work: only that gate settles it. Cancelling the Work is always possible (C-192)."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """A person's release of a hold. ``by`` is a login, ``event`` the identity of the event that records it."""

    hold: HoldId
    by: str
    reason: str
    event: EventId


def place_operator_hold(
    tx: Tx, work: Work, *, hold: HoldId, holder: str, reason: str, event: EventId, now: Millis
) -> Work:
    """
    Hold a Work until a person releases it, and return it.

    ``holder`` is a login, or the name of a brake. At most one hold of a holder is open: a second one changes nothing.
    """
    if any(each.kind is HoldKind.OPERATOR and each.holder == holder for each in tx.holds.open(work.id)):
        return work
    tx.holds.place(
        Hold(
            id=hold,
            work=work.id,
            kind=HoldKind.OPERATOR,
            holder=holder,
            reason=reason,
            revision="",
            placed_at=now,
        )
    )
    record(tx, work, "core.operator.held", f"operator/{hold}/held", event=event, by=holder, reason=reason, now=now)
    return tx.works.save(work, now)


def held_since(tx: Tx, hold: Hold) -> int:
    """Return the place of a hold in the order of accepted events: what has an earlier one knew nothing of it."""
    event = tx.events.by_natural_key(f"{hold.kind.value}/{hold.id}/held")
    return 0 if event is None else event.seq


def release_hold(tx: Tx, release: Release, now: Millis) -> Released:
    """
    Lift an operator's or a budget's hold.

    That of a budget leaves a pass for the next start, over budget or not (C-174). That of a brake lets the Work begin
    anew to count its starts, and for the rest of the day start although its repository has started too often.
    """
    hold = tx.holds.get(release.hold)
    if hold is None or hold.state is not HoldState.OPEN:
        return Released.ALREADY
    if hold.kind is HoldKind.GATE:
        return Released.GATE
    tx.holds.settle(hold.id, HoldState.RELEASED, by=release.by, reason=release.reason, now=now)
    work = tx.works.get(hold.work)
    budget = hold.kind is HoldKind.BUDGET
    # Else the same starts would trip the brake again at once.
    marks = work.marks.released(now // DAY) if hold.holder == BRAKE else work.marks
    tx.works.save(replace(work, budget_pass=budget or work.budget_pass, marks=marks), now)
    kind, key = f"core.{hold.kind.value}.released", f"{hold.kind.value}/{hold.id}/released"
    record(tx, work, kind, key, event=release.event, by=release.by, reason=release.reason, now=now)
    return Released.DONE
