"""How far behind routing is, measured after each pass."""

from __future__ import annotations

from prometheus_client import Gauge

from bot.clock import SECOND, Millis
from bot.metrics import REGISTRY
from bot.storage.contract import Tx

_OLDEST = Gauge(
    "trackside_events_oldest_unrouted_seconds", "Age of the oldest event that is not routed yet", registry=REGISTRY
)
_DEAD = Gauge("trackside_events_dead", "Events that were given up and not taken up again since", registry=REGISTRY)


def measure(tx: Tx, now: Millis) -> None:
    """Measure what is left to route, and what was given up."""
    oldest = tx.events.pending(limit=1)
    _OLDEST.set(max(now - oldest[0].accepted_at, 0) / SECOND if oldest else 0)
    _DEAD.set(tx.events.dead())
