"""What the scheduler itself did to a Work, as accepted events: history that nothing is routed by."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.work import Work
from bot.ids import EventId
from bot.storage.contract import Tx


def record(
    tx: Tx,
    work: Work,
    kind: str,
    natural_key: str,
    *,
    event: EventId,
    reason: str,
    now: Millis,
    by: str = "",
) -> None:
    """Accept a control event addressed to a Work; the same natural key is recorded once. ``by`` is a login."""
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
