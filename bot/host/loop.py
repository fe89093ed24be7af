"""
The loop: passes in a fixed order, each looking at what is stored, so that any of them works after any crash.

``tick()`` is one turn of the wheel; ``run()`` turns it whenever something woke it, and at least every second.
Tests call the one, production the other: the same code.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.clock import SECOND, Clock, Millis
from bot.domain.retry import backoff

IDLE = 1.0
"""Seconds between turns when nothing wakes the loop: timers and leases come due by the clock alone."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A named pass."""

    name: str
    run: Callable[[], Awaitable[object]]


@dataclass(kw_only=True)
class Loop:
    """Turns the wheel. ``after`` is told the name of each pass that was run."""

    passes: Sequence[Pass]
    clock: Clock
    after: Callable[[str], None] = lambda _: None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _later: dict[str, tuple[int, Millis]] = field(default_factory=dict)

    def wake(self) -> None:
        """Something happened: look soon."""
        self._woken.set()

    async def woken(self) -> None:
        """Wait until something happened since the last call."""
        await self._woken.wait()
        self._woken.clear()

    async def tick(self) -> None:
        """Run every pass once. A pass that fails is tried again later and stops none of the others."""
        for each in self.passes:
            tries, until = self._later.get(each.name, (0, Millis(0)))
            if until > self.clock.now():
                continue
            try:
                await each.run()
            except Exception as error:  # noqa: BLE001 - one failing pass must never stop the others
                wait = backoff(tries + 1, base=SECOND, most=60 * SECOND)
                self._later[each.name] = (tries + 1, Millis(self.clock.now() + wait))
                _log.warning("pass_failed", name=each.name, wait_ms=wait, exc_info=error)
            else:
                self._later.pop(each.name, None)
            self.after(each.name)

    async def run(self, stop: asyncio.Event) -> None:
        """Turn the wheel until ``stop`` is set."""
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                await self.tick()
                waking = asyncio.create_task(self.woken())
                try:
                    await asyncio.wait({waking, stopping}, timeout=IDLE, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    waking.cancel()
        finally:
            stopping.cancel()
