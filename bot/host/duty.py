"""
What one host at a time does, where several share a database: asking and writing to the tracker.

Everything in a thread is found by its mark before it is written again, so that a crash doubles nothing. Two hosts that
look at the same moment both find nothing. So one of them holds the duty, by a lease that it renews as it does those of
its attempts; another takes it over when that host has given it back, or is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

import structlog

from bot.clock import Clock, Millis
from bot.errors import StorageError
from bot.host.loop import Pass
from bot.storage.contract import Store, Tx
from bot.storage.rows import dump, load_mapping

NAME = "duty:tracker"

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True)
class Duty:
    """The duty as this host sees it. ``length`` is that of its lease, in milliseconds; ``ticks`` a third of it each."""

    store: Store
    clock: Clock
    owner: str
    length: int
    ticks: Callable[[], AsyncIterator[None]]
    _renewed: Millis = Millis(0)

    def guarded(self, each: Pass) -> Pass:
        """Return a pass that is run only while this host holds the duty."""
        return Pass(name=each.name, run=lambda: self._run(each.run))

    async def give_back(self) -> None:
        """Let another host take it over at once."""
        self._renewed = Millis(0)
        try:
            await self.store.write(lambda tx: _release(tx, self.owner))
        except StorageError as error:
            # Then it lapses by itself.
            _log.warning("duty_not_given_back", reason=str(error))

    async def _run(self, work: Callable[[], Awaitable[object]]) -> None:
        now = self.clock.now()
        fresh = self._renewed <= now < self._renewed + self.length // 3
        if not fresh and not await self._renew():
            return
        running = asyncio.ensure_future(work())
        lost = asyncio.ensure_future(self._lost())
        try:
            await asyncio.wait({running, lost}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
        finally:
            for task in (running, lost):
                task.cancel()
            await asyncio.gather(running, lost, return_exceptions=True)

    async def _lost(self) -> None:
        """Renew until the duty is another's, or was not renewed in time."""
        async for _ in self.ticks():
            try:
                if not await self._renew():
                    return
            except StorageError as error:
                _log.warning("duty_not_renewed", reason=str(error))
                if self.clock.now() >= self._renewed + self.length:
                    return

    async def _renew(self) -> bool:
        now = self.clock.now()
        if await self.store.read(lambda tx: _held_by_another(tx, self.owner, now)):
            return False
        if not await self.store.write(lambda tx: _take(tx, self.owner, now, Millis(now + self.length))):
            return False
        self._renewed = now
        return True


def _held_by_another(tx: Tx, owner: str, now: Millis) -> bool:
    stored = tx.cursors.get(NAME)
    if stored is None:
        return False
    document = load_mapping(stored)
    return bool(document["owner"] != owner and document["until"] > now)


def _take(tx: Tx, owner: str, now: Millis, until: Millis) -> bool:
    if _held_by_another(tx, owner, now):
        return False
    tx.cursors.put(NAME, dump({"owner": owner, "until": until}))
    return True


def _release(tx: Tx, owner: str) -> None:
    stored = tx.cursors.get(NAME)
    if stored is not None and load_mapping(stored)["owner"] == owner:
        tx.cursors.put(NAME, dump({"owner": owner, "until": 0}))
