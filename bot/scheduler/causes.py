"""Where events come from: what derives from an event is one deeper than it, and no chain goes on for ever (C-101)."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.event import Event, NewEvent, Routing
from bot.storage.contract import Tx

MAX_DEPTH = 256
"""The most events that one event may derive from, one from the other, when nobody from outside takes part."""


@dataclass(frozen=True, kw_only=True)
class TooDeep:
    """The event was refused, and nothing written: it would be deeper than ``MAX_DEPTH``."""


def accept_derived(tx: Tx, event: NewEvent, now: Millis, *, routing: Routing) -> Event | TooDeep | None:
    """
    Accept an event that a Work's own execution gave rise to; None when its natural key was accepted before.

    Two Works that wake each other, or one that goes on by itself, end here. What a timer brings is never refused: a
    chain that waits is no runaway, and something else bounds its tries.
    """
    if tx.events.depth_below(event.cause) > MAX_DEPTH:
        return TooDeep()
    return tx.events.accept(event, now, routing=routing)
