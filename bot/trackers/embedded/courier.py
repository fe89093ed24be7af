"""
Sends queued webhook deliveries, one after the other, in the order in which they were queued.

As with GitHub, one that fails is not tried again by itself: it stays listed, to be delivered again on request.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac

import httpx

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.values import Delivery

TIMEOUT = 10.0
"""Seconds in which a receiver must answer."""
_KEPT = 2_000
"""Characters of an answer that are kept."""


def headers(delivery: Delivery) -> dict[str, str]:
    """Return the headers of a delivery, with the signature over the very bytes that are sent."""
    digest = hmac.new(delivery.secret.encode(), delivery.payload.encode(), hashlib.sha256).hexdigest()
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/embedded",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(delivery.hook_id),
        "X-GitHub-Hook-Installation-Target-ID": str(delivery.target),
        "X-GitHub-Hook-Installation-Target-Type": "integration" if delivery.of_app else "repository",
        "X-Hub-Signature-256": f"sha256={digest}",
    }


class Courier:
    """Sends what is queued, by one client."""

    def __init__(self, desk: Desk, client: httpx.AsyncClient) -> None:
        self._desk = desk
        self._client = client
        self._turn = asyncio.Lock()

    async def deliver_pending(self) -> int:
        """Send everything that is queued, also what is queued meanwhile; return how many were sent."""
        sent = 0
        async with self._turn:
            while (delivery := await self._next()) is not None:
                await self._send(delivery)
                sent += 1
        return sent

    async def run(self) -> None:
        """Send whatever is queued, for ever; asleep until a change is committed."""
        while True:
            self._desk.queued.clear()
            await self.deliver_pending()
            await self._desk.queued.wait()

    async def _next(self) -> Delivery | None:
        async with self._desk.store.transaction() as tx:
            row = await tx.one("delivery_next")
        return None if row is None else rows.delivery(row)

    async def _send(self, delivery: Delivery) -> None:
        began = self._desk.clock.now()
        try:
            answer = await self._client.post(
                delivery.url,
                content=delivery.payload.encode(),
                headers=headers(delivery),
                timeout=TIMEOUT,
                follow_redirects=False,
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            code, status, text = (
                0,
                "timed out" if isinstance(error, httpx.TimeoutException) else "failed to connect",
                "",
            )
        else:
            code, text = answer.status_code, answer.text[:_KEPT]
            status = "OK" if answer.is_success else f"Invalid HTTP Response: {code}"
        now = self._desk.clock.now()
        async with self._desk.store.transaction() as tx:
            await tx.run(
                "delivery_done",
                id=delivery.id,
                now=now,
                duration=now - began,
                status_code=code,
                status=status,
                response=text,
            )
