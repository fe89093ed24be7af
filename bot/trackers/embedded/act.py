"""
An act: one person, at one moment, in one transaction. Everything that people can do takes one.

The desk opens acts and, after the commit, wakes whoever sends the webhooks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.clock import Clock, Millis
from bot.trackers.embedded import people
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.store import Store, Tx
from bot.trackers.embedded.values import Account


@dataclass(frozen=True, kw_only=True)
class Act:
    """What ``actor`` does at ``now``; everything in it is committed together, or nothing is."""

    tx: Tx
    now: Millis
    actor: Account
    links: Links


class Desk:
    """
    Opens acts.

    ``queued`` is set after every commit, since it may have put deliveries into the queue.
    """

    def __init__(self, store: Store, clock: Clock, links: Links) -> None:
        self.store = store
        self.clock = clock
        self.links = links
        self.queued = asyncio.Event()

    async def account(self, login: str) -> Account:
        """Return the account that acts. Raises ``RefusedError`` (404)."""
        async with self.store.transaction() as tx:
            return await people.find(tx, login)

    @asynccontextmanager
    async def act(self, actor: Account) -> AsyncIterator[Act]:
        """Open a transaction in which ``actor`` may change things."""
        async with self.store.transaction() as tx:
            yield Act(tx=tx, now=self.clock.now(), actor=actor, links=self.links)
        self.queued.set()

    @asynccontextmanager
    async def look(self, actor: Account) -> AsyncIterator[Act]:
        """Open a transaction in which ``actor`` only reads."""
        async with self.store.transaction() as tx:
            yield Act(tx=tx, now=self.clock.now(), actor=actor, links=self.links)
