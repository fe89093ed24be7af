"""Notices that a budget nears its end, or has reached it: events of their own, never input of a Work (C-176, C-177)."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.budget import MICRO
from bot.domain.event import NewEvent, Routing
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.bars import Bar
from bot.storage.contract import Tx

SCHEMA = "core.budget.v1"
WARNING, EXCEEDED = "core.budget.warning", "core.budget.exceeded"


def notify(tx: Tx, work: Work, bar: Bar, now: Millis) -> None:
    """
    Accept the notice that a budget calls for, once for each ledger window, kind, limit and scope.

    It is for whoever listens to such events: it names the Work in its data and has no key by which it would find it.
    """
    reached = _reached(bar)
    if reached is None:
        return
    kind, limit = reached
    key = f"budget/{bar.ledger}/{kind}/{limit}/{work.scope}"
    budget = bar.budget
    tx.events.accept(
        NewEvent(
            id=EventId(key),
            source="core",
            type=kind,
            natural_key=key,
            scope=work.scope,
            data={
                "schema": SCHEMA,
                "work": work.id,
                "unit": budget.unit,
                "used": bar.used / MICRO,
                "max": bar.max / MICRO,
                "per": budget.per.value,
                "period": budget.period.value,
            },
        ),
        now,
        routing=Routing.PENDING,
    )


def _reached(bar: Bar) -> tuple[str, int] | None:
    """Return which limit a ledger has reached, the highest only, and where that lies."""
    if bar.used >= bar.max:
        return EXCEEDED, bar.max
    warn_at = bar.budget.warn_at
    limit = None if warn_at is None else round(warn_at * bar.max)
    return None if limit is None or bar.used < limit else (WARNING, limit)
