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
from prometheus_client import Counter

from bot.clock import SECOND, Clock, Millis
from bot.domain.retry import backoff
from bot.host.health import LoopHealth, PassHealth
from bot.metrics import REGISTRY

IDLE = 1.0
"""Seconds between turns when nothing wakes the loop: timers and leases come due by the clock alone."""
PATIENCE = 300
"""Idle times that a turn may take before its loop counts as stuck: a tracker may be slow, but not for ever."""
MUCH = 1_800
"""The same for a loop that may have a whole repository to read, or to write."""

_FAILURES = Counter("trackside_pass_failures", "Parts of the bot that failed, by name", ["name"], registry=REGISTRY)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class Pass:
    """A named pass."""

    name: str
    run: Callable[[], Awaitable[object]]


@dataclass(kw_only=True)
class Loop:
    """Turns the wheel. ``after`` is told the name of each pass that was run; ``patience`` is in idle times."""

    passes: Sequence[Pass]
    clock: Clock
    after: Callable[[str], None] = lambda _: None
    patience: int = PATIENCE
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _later: dict[str, tuple[int, Millis, Millis]] = field(default_factory=dict)
    _since: Millis = field(init=False)
    _turned: Millis | None = None
    _running: str | None = None
    _succeeded: dict[str, Millis] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._since = self.clock.now()

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
            tries, failed, until = self._later.get(each.name, (0, Millis(0), Millis(0)))
            # A clock that was set back must not keep a pass from being run.
            if failed <= self.clock.now() < until:
                continue
            self._running = each.name
            try:
                await each.run()
            except Exception as error:  # noqa: BLE001 - one failing pass must never stop the others
                wait = backoff(tries + 1, base=SECOND, most=60 * SECOND)
                failed = self.clock.now()
                _FAILURES.labels(each.name).inc()
                self._later[each.name] = (tries + 1, failed, Millis(failed + wait))
                _log.warning("pass_failed", name=each.name, wait_ms=wait, exc_info=error)
            else:
                self._later.pop(each.name, None)
                self._succeeded[each.name] = self.clock.now()
            self._running = None
            self.after(each.name)
        self._turned = self.clock.now()

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

    def health(self) -> LoopHealth:
        """Return how far it has got, told by nothing but turns and passes that came to their end."""
        return LoopHealth(
            passes=tuple(
                PassHealth(
                    name=each.name,
                    ran_at=self._succeeded.get(each.name),
                    running=each.name == self._running,
                    failing=each.name in self._later,
                )
                for each in self.passes
            ),
            since=self._since,
            turned_at=self._turned,
            patience=int(self.patience * IDLE * SECOND),
        )
