"""
The three loops of a host: what comes in, what is decided, what goes out.

They turn side by side, so that a slow tracker delays neither a start nor a stop. Tests turn them one after the
other with ``tick()``; it is the same code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.clock import Millis
from bot.host.drain import Drain
from bot.host.health import Health
from bot.host.loop import Loop


@dataclass(frozen=True, kw_only=True)
class Wheels:
    """
    ``loops`` in the order in which one tick turns them; ``closing`` ends what they have started.

    ``beside`` is what goes on without end while they turn.
    """

    loops: Sequence[Loop]
    closing: Sequence[Callable[[], Awaitable[None]]]
    woken: asyncio.Event
    drain: Drain = field(default_factory=Drain)
    beside: Sequence[Callable[[], Coroutine[Any, Any, None]]] = ()

    async def tick(self) -> None:
        """Turn every loop once."""
        self.woken.clear()
        for loop in self.loops:
            await loop.tick()

    async def run(self, stop: asyncio.Event) -> None:
        """Turn all loops until ``stop`` is set. From that moment on nothing new is taken, also by a turn under way."""
        self.drain.on(stop)
        beside = [asyncio.create_task(each()) for each in self.beside]
        try:
            async with asyncio.TaskGroup() as tasks:
                for loop in self.loops:
                    tasks.create_task(loop.run(stop))
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)

    def health(self, now: Millis) -> Health:
        """Return how far the loops have got."""
        return Health(loops=tuple(loop.health() for loop in self.loops), now=now)

    async def close(self) -> None:
        """End what was started here. Leases are given back; the runs themselves go on."""
        for close in self.closing:
            await close()
