"""How far behind routing is can be read from the metrics."""

from __future__ import annotations

from bot.clock import MINUTE, Millis
from bot.domain.event import Routing
from bot.metrics import REGISTRY
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import make_event
from tests.storage.twice import Writable
from webhooks.backlog import measure


def value(name: str) -> float | None:
    return REGISTRY.get_sample_value(f"trackside_events_{name}")


async def test_the_oldest_event_that_waits_and_those_given_up_are_measured(store: Writable[Tx]) -> None:
    def accept(tx: Tx) -> None:
        for place, name in enumerate(("first", "second")):
            at = Millis(START + place * MINUTE)
            assert tx.events.accept(make_event(name), at, routing=Routing.PENDING) is not None

    def give_up(tx: Tx) -> None:
        for name in ("first", "second"):
            event = tx.events.by_natural_key(name)
            assert event is not None
            tx.events.settle(event, Routing.DEAD if name == "first" else Routing.ROUTED)

    now = Millis(START + 5 * MINUTE)
    await store.write(accept)
    await store.read(lambda tx: measure(tx, now))
    assert (value("oldest_unrouted_seconds"), value("dead")) == (300, 0)
    await store.write(give_up)
    await store.read(lambda tx: measure(tx, now))
    assert (value("oldest_unrouted_seconds"), value("dead")) == (0, 1)
