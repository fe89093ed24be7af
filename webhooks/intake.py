"""What the receiver and the sweep have in common: facts become accepted events, durably, once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bot.clock import Clock, Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.scope import repository_scope
from bot.ids import EventId, new_id
from bot.storage.contract import Store, Tx
from bot.storage.events import Delivery as StoredDelivery
from bot.storage.events import pack
from webhooks.access_facts import AccessFact
from webhooks.delivery import Accepted, Delivery
from webhooks.fact_documents import to_document
from webhooks.facts import Fact, Ping
from webhooks.reach import ReachFact

LARGE = 256 * 1024
"""Bytes."""


def fact_event(fact: Fact, identity: EventId) -> NewEvent:
    """Return the event that a fact is accepted as."""
    scope = None if isinstance(fact, Ping | AccessFact | ReachFact) else repository_scope(fact.repository.id)
    return NewEvent(
        id=identity,
        source="tracker",
        type=f"tracker.{fact.kind.value}",
        natural_key=fact.natural_key,
        keys=fact.keys,
        scope=scope,
        data=to_document(fact),
    )


def accept_facts(tx: Tx, events: list[NewEvent], now: Millis) -> int:
    """Accept events as pending; those that were accepted before are left alone. Returns how many were new."""
    return sum(tx.events.accept(event, now, routing=Routing.PENDING) is not None for event in events)


def record(tx: Tx, delivery: StoredDelivery, events: list[NewEvent], now: Millis) -> Accepted:
    """
    Store a delivery with its facts.

    A delivery that comes again makes those of its events due whose routing failed (ag-A03, gh-D-05); events
    that were routed stay routed.
    """
    if not tx.deliveries.record(delivery, [event.natural_key for event in events]):
        for natural_key in tx.deliveries.natural_keys(delivery.guid):
            tx.events.revive(natural_key, now)
        return Accepted.DUPLICATE
    if not events:
        return Accepted.IGNORED
    return Accepted.NEW if accept_facts(tx, events, now) else Accepted.DUPLICATE


@dataclass(frozen=True)
class Intake:
    """The receiver's way into the store: answers only after the commit. ``wake`` tells the host to look."""

    store: Store
    clock: Clock
    wake: Callable[[], None]

    async def accept(self, delivery: Delivery) -> Accepted:
        """Make a delivery durable. Raises ``StorageError`` when that cannot be done."""
        events = [fact_event(fact, EventId(new_id("evt"))) for fact in delivery.facts]
        now = self.clock.now()
        stored = StoredDelivery(
            guid=delivery.guid,
            event=delivery.event,
            action=delivery.action,
            received_at=now,
            note=delivery.note,
            packed=await self._packed(delivery.payload),
        )
        accepted = await self.store.write(lambda tx: record(tx, stored, events, now))
        self.wake()
        return accepted

    async def _packed(self, payload: bytes) -> bytes:
        # A thread costs more than packing the usual payload; a large one would hold up all else.
        return await asyncio.to_thread(pack, payload) if len(payload) > LARGE else pack(payload)
