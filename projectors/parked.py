"""
Parked threads get another chance.

Why a thread was refused may lie outside of it: a token that had lapsed, a permission that was missing. Nothing in the
thread changes when that is put right, least of all in one whose Work has ended. So all of them are tried again when
the bot starts, and now and then.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import HOUR, Clock, Millis
from bot.storage.contract import Store

INTERVAL = 6 * HOUR


@dataclass(kw_only=True)
class UnparkPass:
    """Makes parked threads due, at the start and every ``INTERVAL`` milliseconds."""

    store: Store
    clock: Clock
    _due: Millis = Millis(0)

    async def run(self) -> None:
        """Make them due, if it is time."""
        now = self.clock.now()
        if self._due > now:
            return
        await self.store.write(lambda tx: tx.threads.unpark())
        self._due = Millis(now + INTERVAL)
