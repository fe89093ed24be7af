"""
One gate for every write to the tracker.

Writes go one after the other. Once the tracker asks to wait, or a pace that it states would be exceeded, nothing is
written until the time is over: whoever comes meanwhile is told how long that is, and comes again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from prometheus_client import Counter

from bot.clock import HOUR, MINUTE, Clock, Millis
from bot.domain.retry import backoff
from bot.errors import RateLimitedError
from bot.metrics import REGISTRY
from projectors.pace import GITHUB, Pace, Tally

_WRITES = Counter("trackside_tracker_writes", "Writes to the tracker, by kind", ["kind"], registry=REGISTRY)
_WAITS = Counter("trackside_tracker_waits", "Waits before more is written, by who asks", ["by"], registry=REGISTRY)

T = TypeVar("T")


@dataclass(kw_only=True)
class Limiter:
    """Lets one write through at a time, and none while the tracker asked to wait or the ``pace`` is reached."""

    clock: Clock
    pace: Pace = GITHUB
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _asked: Millis = Millis(0)
    _until: Millis = Millis(0)
    _in_a_row: int = 0
    _writes: Tally = field(init=False)
    _creations: Tally = field(init=False)

    def __post_init__(self) -> None:
        self._writes = Tally(self.pace.writes)
        self._creations = Tally(self.pace.creations)

    async def write(self, call: Callable[[], Awaitable[T]], *, creates: bool = False) -> T:
        """
        Do one write; ``creates`` is for what people are notified of, such as a comment.

        Raises ``RateLimitedError`` without calling while a limit lasts, and whatever the call raises.
        """
        async with self._turn:
            now = self.clock.now()
            # A clock that was set back must not make the wait longer than was asked for.
            if self._asked <= now < self._until:
                raise RateLimitedError("the tracker asked to wait", retry_after=self._until - now)
            wait = max(self._writes.wait(now), self._creations.wait(now) if creates else 0)
            if wait:
                _WAITS.labels("pace").inc()
                raise RateLimitedError("enough was written for now", retry_after=wait)
            self._note(now, creates=creates)
            try:
                answer = await call()
            except RateLimitedError as error:
                self._wait(error.retry_after)
                raise
            self._in_a_row = 0
            return answer

    def wait(self) -> int:
        """Return for how many milliseconds nothing may be written, 0 when something may: reading can then wait too."""
        now = self.clock.now()
        asked = self._until - now if self._asked <= now < self._until else 0
        return max(asked, self._writes.wait(now))

    def _note(self, now: Millis, *, creates: bool) -> None:
        # Noted before the call: one that fails may have been counted by the tracker all the same.
        self._writes.add(now)
        if creates:
            self._creations.add(now)
        _WRITES.labels("creation" if creates else "change").inc()

    def _wait(self, asked: int) -> None:
        """Write nothing for as long as was asked; told again right after a wait, longer and longer."""
        _WAITS.labels("tracker").inc()
        self._in_a_row += 1
        again = backoff(self._in_a_row, base=MINUTE, most=HOUR) if self._in_a_row > 1 else 0
        wait = max(asked, again)
        self._asked = self.clock.now()
        more = random.random()  # noqa: S311 - nothing depends on nobody guessing it
        self._until = Millis(self._asked + wait + round(wait * self.pace.jitter * more))
