"""Deliveries to an App's webhook, and how to have them sent again. Raises as ``bot.trackers.contract`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.clock import Millis


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """
    One attempt of a delivery; ``arrived`` is whether it was answered well.

    ``id`` is the attempt's, ``guid`` the delivery's: it stays the same when it is sent again, which is ``again``.
    """

    id: int
    guid: str
    event: str
    delivered_at: Millis
    arrived: bool
    again: bool


class Redeliver(Protocol):
    """Asking for what failed. The tracker never does it by itself. Only an App may."""

    async def attempts(self, since: Millis, *, after: int = 0) -> Sequence[Attempt]:
        """
        Return what was attempted since then with an id above ``after``, oldest first.

        Of very many, only the newest are told.
        """
        ...

    async def redeliver(self, attempt: int) -> None:
        """Have the delivery of an attempt sent again."""
        ...
