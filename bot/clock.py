"""The only place that reads a clock. Everything else takes ``now`` as an argument."""

from __future__ import annotations

import time
from typing import NewType, Protocol

Millis = NewType("Millis", int)
"""A moment, in milliseconds since 1970-01-01 UTC."""

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Millis:
        """Return the current moment."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now(self) -> Millis:
        """Return the current moment."""
        return Millis(time.time_ns() // 1_000_000)


def monotonic() -> int:
    """Return milliseconds on a clock that nobody sets: only the difference of two readings means something."""
    return time.monotonic_ns() // 1_000_000
