"""Deliveries to the App's webhook, over GitHub's REST API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.clock import Millis
from bot.trackers.deliveries import Attempt
from bot.trackers.github.client import PAGE, Client, entries_of, next_page
from bot.trackers.github.fields import Fields
from bot.trackers.github.wire import Query

DELIVERIES = "/app/hook/deliveries"
MAX_PAGES = 10
"""A thousand attempts: what was lost before them is found by the sweep all the same."""

_GOOD = range(200, 400)


class GithubDeliveries:
    """See ``bot.trackers.deliveries`` for what each method promises."""

    client: Client

    async def attempts(self, since: Millis, *, after: int = 0) -> Sequence[Attempt]:
        """Return what was attempted lately, oldest first. The list begins with the newest and is read no further."""
        found: list[Attempt] = []
        page: Query | None = {"per_page": PAGE}
        for _ in range(MAX_PAGES):
            if page is None:
                break
            answer = await self.client.answer("GET", DELIVERIES, query=page)
            attempts = list(map(_attempt, entries_of(answer)))
            fresh = list(_fresh(attempts, since, after))
            found += fresh
            page = next_page(answer) if len(fresh) == len(attempts) else None
        return found[::-1]

    async def redeliver(self, attempt: int) -> None:
        """Have the delivery of an attempt sent again."""
        await self.client.tell("POST", f"{DELIVERIES}/{attempt}/attempts")


def _fresh(attempts: Sequence[Attempt], since: Millis, after: int) -> Iterator[Attempt]:
    for attempt in attempts:
        if attempt.id <= after or attempt.delivered_at < since:
            return
        yield attempt


def _attempt(answer: Fields) -> Attempt:
    return Attempt(
        id=answer.number("id"),
        guid=answer.text("guid"),
        event=answer.text("event"),
        delivered_at=answer.moment("delivered_at"),
        arrived=answer.number("status_code") in _GOOD,
        again=answer.flag("redelivery"),
    )
