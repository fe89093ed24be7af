"""Accepted facts. An event is accepted once, by its natural key, and numbered in the order of acceptance."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.identity import named
from bot.ids import EventId, ScopeId


class Routing(enum.Enum):
    """Where an event stands on its way to Work."""

    PENDING = "pending"
    """Accepted, not routed yet; ``next_at`` says when it is due."""
    ROUTED = "routed"
    """Became Work, input or a decision."""
    UNMATCHED = "unmatched"
    """Concerns no Work; kept as history."""
    DEAD = "dead"
    """Routing failed too often; shown to people and kept for another try."""


@dataclass(frozen=True, kw_only=True)
class NewEvent:
    """
    A fact to accept.

    ``natural_key`` is the same however the fact came to us, so that a second arrival is a no-op.
    ``keys`` are correlation keys; ``cause`` is the event that this one derives from.
    """

    id: EventId
    source: str
    type: str
    natural_key: str
    keys: tuple[str, ...] = ()
    scope: ScopeId | None = None
    data: Mapping[str, object] = field(default_factory=dict)
    cause: EventId | None = None

    def __post_init__(self) -> None:
        named(id=self.id, source=self.source, type=self.type, natural_key=self.natural_key)


@dataclass(frozen=True, kw_only=True)
class Event(NewEvent):
    """
    A fact that was accepted; ``seq`` is its place in the order of acceptance.

    ``depth`` counts the events that it derives from, one from the other.
    """

    seq: int
    accepted_at: Millis
    routing: Routing
    tries: int = 0
    next_at: Millis = Millis(0)
    note: str = ""
    depth: int = 0
