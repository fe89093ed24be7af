"""One gate for everything that writes to the tracker: it keeps the tracker's own limits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from bot.clock import Clock, Millis
from bot.errors import RateLimitedError

T = TypeVar("T")


@dataclass(kw_only=True)
class Limiter:
    """Lets one write through at a time, and none while the tracker asked to wait."""

    clock: Clock
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _asked: Millis = Millis(0)
    _until: Millis = Millis(0)

    async def write(self, call: Callable[[], Awaitable[T]]) -> T:
        """
        Do one write.

        Raises ``RateLimitedError`` without calling while a limit lasts, and whatever the call raises.
        """
        async with self._turn:
            now = self.clock.now()
            # A clock that was set back must not make the wait longer than was asked for.
            if self._asked <= now < self._until:
                raise RateLimitedError(retry_after=self._until - now)
            try:
                return await call()
            except RateLimitedError as error:
                self._asked = self.clock.now()
                self._until = Millis(self._asked + error.retry_after)
                raise
