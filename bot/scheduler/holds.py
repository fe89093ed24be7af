"""Operator holds, and the release of what a person may lift. A gate's hold is never lifted here (C-187, C-192)."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.work import Work
from bot.ids import EventId, HoldId
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
    _record(tx, work, "core.operator.held", f"operator/{hold}/held", event=event, by=holder, reason=reason, now=now)
    return tx.works.save(work, now)


def release_hold(tx: Tx, release: Release, now: Millis) -> Released:
    """
    Lift an operator's or a budget's hold.

    That of a budget leaves a pass for the next start, over budget or not (C-174).
    """
    hold = tx.holds.get(release.hold)
    if hold is None or hold.state is not HoldState.OPEN:
        return Released.ALREADY
    if hold.kind is HoldKind.GATE:
        return Released.GATE
    tx.holds.settle(hold.id, HoldState.RELEASED, by=release.by, reason=release.reason, now=now)
    work = tx.works.get(hold.work)
    budget = hold.kind is HoldKind.BUDGET
    tx.works.save(replace(work, budget_pass=budget or work.budget_pass), now)
    kind, key = f"core.{hold.kind.value}.released", f"{hold.kind.value}/{hold.id}/released"
    _record(tx, work, kind, key, event=release.event, by=release.by, reason=release.reason, now=now)
    return Released.DONE


def _record(
    tx: Tx, work: Work, kind: str, natural_key: str, *, event: EventId, by: str, reason: str, now: Millis
) -> None:
    tx.events.accept(
        NewEvent(
            id=event,
            source="core",
            type=kind,
            natural_key=natural_key,
            keys=(f"work:{work.id}",),
            scope=work.scope,
            data={"work": work.id, "reason": reason, "by": by},
        ),
        now,
        routing=Routing.ROUTED,
    )
