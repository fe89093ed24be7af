"""Whether this machine's clock agrees with the database's, by which hosts that share it are compared."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Clock
from bot.storage.contract import Store


@dataclass(frozen=True, kw_only=True)
class Skew:
    """``most`` is how far the clocks may be apart, in milliseconds."""

    store: Store
    clock: Clock
    most: int

    async def fault(self) -> str:
        """
        Return what is wrong, empty when nothing is.

        The database tells its time somewhere between our question and our having the answer, so only what lies
        outside of that counts. Raises ``StorageError``.
        """
        before = self.clock.now()
        there = await self.store.read(lambda tx: tx.clock.now())
        after = self.clock.now()
        behind, ahead = there - after, before - there
        if max(behind, ahead) <= self.most:
            return ""
        apart = f"{behind} ms behind" if behind > 0 else f"{ahead} ms ahead of"
        return f"the clock of this machine is {apart} the database's; {self.most} ms are allowed"
