"""
The three loops of a host: what comes in, what is decided, what goes out.

They turn side by side, so that a slow tracker delays neither a start nor a stop. Tests turn them one after the
other with ``tick()``; it is the same code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bot.host.loop import Loop


@dataclass(frozen=True, kw_only=True)
class Wheels:
    """``loops`` in the order in which one tick turns them; ``closing`` ends what they have started."""

    loops: Sequence[Loop]
    closing: Sequence[Callable[[], Awaitable[None]]]
    woken: asyncio.Event

    async def tick(self) -> None:
        """Turn every loop once."""
        self.woken.clear()
        for loop in self.loops:
            await loop.tick()

    async def run(self, stop: asyncio.Event) -> None:
        """Turn all loops until ``stop`` is set."""
        async with asyncio.TaskGroup() as tasks:
            for loop in self.loops:
                tasks.create_task(loop.run(stop))

    async def close(self) -> None:
        """End what was started here. Leases are given back; the runs themselves go on."""
        for close in self.closing:
            await close()
