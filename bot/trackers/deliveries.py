"""Deliveries of webhooks that failed, and how to have them sent again. Raises as ``bot.trackers.contract`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.clock import Millis


@dataclass(frozen=True, kw_only=True)
class FailedDelivery:
    """
    The latest attempt of a delivery, when that failed.

    ``hook`` is the path of the hook's API, such as ``/app/hook``; ``id`` is the attempt's, ``guid`` the delivery's:
    it stays the same when it is sent again.
    """

    hook: str
    id: int
    guid: str
    event: str
    delivered_at: Millis
    status: int


class Redeliver(Protocol):
    """Asking for what failed. The tracker never does it by itself."""

    async def failed_deliveries(self, repository: str, since: Millis) -> Sequence[FailedDelivery]:
        """
        Return what was tried since then and did not arrive, oldest first, every page.

        Empty where the credentials may not look.
        """
        ...

    async def redeliver(self, delivery: FailedDelivery) -> None:
        """Have it sent again."""
        ...
