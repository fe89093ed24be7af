"""What the receiver hands on: a delivery whose sender is known to hold a secret, and what it told us."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from webhooks.facts import Fact


class Accepted(enum.Enum):
    """What became of a delivery; the value is told to the sender."""

    NEW = "accepted"
    """Its facts are durable now."""
    DUPLICATE = "duplicate"
    """The same delivery was accepted before; nothing changed."""
    IGNORED = "ignored"
    """Recorded, but it holds nothing that concerns us."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """
    A verified delivery.

    ``guid`` stays the same when the tracker delivers again. ``action`` is empty when the payload has none.
    ``payload`` is the JSON text as it came. ``note`` says why there are no facts, and is empty otherwise.
    """

    guid: str
    event: str
    action: str
    hook: int | None
    payload: bytes
    facts: tuple[Fact, ...]
    note: str = ""


Accept = Callable[[Delivery], Awaitable[Accepted]]
"""
Make a delivery and its facts durable, and return only then: the answer to the sender follows at once.

Whatever it raises is answered with 500, so that the tracker lists the delivery as failed.
"""
