"""Accepted events, and the deliveries that brought them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.event import Event, NewEvent, Routing
from bot.ids import EventId, ScopeId, WorkId
from bot.storage.rows import dump, load, load_mapping, readable
from bot.storage.sql import Row, Sql


def _event(row: Row) -> Event:
    return Event(
        id=EventId(row["id"]),
        source=row["source"],
        type=row["type"],
        natural_key=row["natural_key"],
        keys=tuple(load(row["keys"])),
        scope=None if row["scope"] is None else ScopeId(row["scope"]),
        data=load_mapping(row["data"]),
        cause=None if row["cause"] is None else EventId(row["cause"]),
        seq=row["seq"],
        accepted_at=Millis(row["accepted_at"]),
        routing=Routing(row["routing"]),
        tries=row["tries"],
        next_at=Millis(row["next_at"]),
        note=row["note"],
        depth=row["depth"],
    )


@dataclass(frozen=True)
class Events:
    """Accepted events. An event is accepted once and never removed."""

    sql: Sql

    def accept(self, event: NewEvent, now: Millis, *, routing: Routing, deeper: bool = True) -> Event | None:
        """
        Accept an event under the next acceptance number.

        It is one deeper than its cause, unless ``deeper`` says that it only puts its cause off.
        Returns None when its natural key was accepted before: nothing is written then.
        """
        if self.by_natural_key(event.natural_key) is not None:
            return None
        counter = self.sql.one("event_next_seq")
        assert counter is not None  # noqa: S101 - the counter row is part of the schema
        seq = counter["value"]
        accepted = self.sql.one(
            "event_insert",
            seq=seq,
            id=event.id,
            source=event.source,
            type=event.type,
            natural_key=event.natural_key,
            scope=event.scope,
            keys=dump(list(event.keys)),
            data=dump(dict(event.data)),
            cause=event.cause,
            depth=max(self.depth_below(event.cause) - (not deeper), 0),
            accepted_at=now,
            routing=routing.value,
            next_at=now,
        )
        assert accepted is not None  # noqa: S101 - the statement returns the row that it inserted
        for key in dict.fromkeys(event.keys):
            self.sql.run("event_key_insert", key=key, seq=seq)
        return _event(accepted)

    def depth_below(self, cause: EventId | None) -> int:
        """Return the depth of an event that derives from this one; 0 for one that derives from nothing we know."""
        row = None if cause is None else self.sql.one("event_depth", id=cause)
        return 0 if row is None else int(row["depth"]) + 1

    def newest(self) -> int:
        """Return the acceptance number of the newest event, 0 when there is none."""
        row = self.sql.one("event_newest")
        return 0 if row is None else int(row["value"])

    def by_natural_key(self, natural_key: str) -> Event | None:
        """Return the event with this natural key."""
        row = self.sql.one("event_by_natural_key", natural_key=natural_key)
        return None if row is None else _event(row)

    def get(self, event: EventId) -> Event | None:
        """Return an event by its id."""
        row = self.sql.one("event_by_id", id=event)
        return None if row is None else _event(row)

    def pending(self, *, after: int = 0, limit: int = 100) -> Sequence[Event]:
        """Return unrouted events above an acceptance number, oldest first, due or not."""

        def page(row: Row | None) -> Sequence[Row]:
            return self.sql.all("events_pending", after=after if row is None else row["seq"], limit=limit)

        return readable(_event, page, limit)

    def by_routing(self, routing: Routing, *, limit: int = 100) -> Sequence[Event]:
        """Return events that stand so, oldest first."""
        return [_event(row) for row in self.sql.all("events_by_routing", routing=routing.value, limit=limit)]

    def dead(self) -> int:
        """Return how many events were given up and not taken up again since."""
        row = self.sql.one("events_dead_count")
        return 0 if row is None else int(row["count"])

    def with_key(self, key: str) -> Sequence[Event]:
        """Return every event with a correlation key, oldest first."""
        return [_event(row) for row in self.sql.all("events_with_key", key=key)]

    def of_type_with_key(self, key: str, kind: str) -> Sequence[Event]:
        """Return the events of a type with a correlation key, oldest first."""
        return [_event(row) for row in self.sql.all("events_of_type_with_key", key=key, type=kind)]

    def pending_with_key(self, key: str, kind: str, *, after: int) -> Sequence[Event]:
        """Return the unrouted events of a type with a correlation key, above an acceptance number, oldest first."""
        return [_event(row) for row in self.sql.all("events_pending_with_key", key=key, type=kind, after=after)]

    def settle(self, event: Event, routing: Routing, note: str = "") -> bool:
        """End the routing of a pending event. Returns whether it was pending."""
        return self.sql.run("event_settle", seq=event.seq, routing=routing.value, note=note) == 1

    def postpone(self, event: Event, *, until: Millis, note: str) -> None:
        """Leave an event pending, to be routed again at ``until``."""
        self.sql.run("event_postpone", seq=event.seq, tries=event.tries + 1, next_at=until, note=note)

    def revive(self, natural_key: str, now: Millis) -> bool:
        """Make an event that waits for another try, or was given up, due now (ag-A03). Returns whether one was."""
        return self.sql.run("event_revive", natural_key=natural_key, next_at=now) == 1

    def unrouted_for(self, work: WorkId) -> bool:
        """Whether an accepted event that shares a key with the Work has not been routed yet (C-85)."""
        return self.sql.one("event_pending_for_work", work=work) is not None


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """
    A delivery as it was received. ``note`` says what became of it; ``seen`` how often it came.

    ``packed`` is its payload as ``pack`` makes it, outside of any transaction: packing a large one takes a second,
    in which nobody else could write.
    """

    guid: str
    event: str
    action: str
    received_at: Millis
    note: str
    packed: bytes
    seen: int = 1

    @property
    def payload(self) -> bytes:
        """The payload as it came."""
        return zlib.decompress(self.packed)


def pack(payload: bytes) -> bytes:
    """Return a payload as it is stored: compressed."""
    return zlib.compress(payload, 1)


@dataclass(frozen=True)
class Deliveries:
    """Deliveries of webhooks, by their unique id. Payloads are stored compressed."""

    sql: Sql

    def record(self, delivery: Delivery, natural_keys: Sequence[str]) -> bool:
        """Store a delivery and the natural keys of its facts. Returns False when this id was stored before."""
        new = self.sql.run(
            "delivery_insert",
            guid=delivery.guid,
            event=delivery.event,
            action=delivery.action,
            received_at=delivery.received_at,
            note=delivery.note,
            payload=delivery.packed,
        )
        if not new:
            self.sql.run("delivery_seen", guid=delivery.guid)
            return False
        for natural_key in natural_keys:
            self.sql.run("delivery_event_insert", guid=delivery.guid, natural_key=natural_key)
        return True

    def get(self, guid: str) -> Delivery | None:
        """Return a delivery with its payload."""
        row = self.sql.one("delivery_by_guid", guid=guid)
        if row is None:
            return None
        return Delivery(
            guid=row["guid"],
            event=row["event"],
            action=row["action"],
            received_at=Millis(row["received_at"]),
            note=row["note"],
            packed=row["payload"],
            seen=row["seen"],
        )

    def natural_keys(self, guid: str) -> Sequence[str]:
        """Return the natural keys of the facts in a delivery."""
        return [row["natural_key"] for row in self.sql.all("delivery_event_keys", guid=guid)]
