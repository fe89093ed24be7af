"""A clock that stands still until a test moves it."""

from __future__ import annotations

from bot.clock import Millis

START = Millis(1_700_000_000_000)


class FakeClock:
    """Tells the time that it was set to; ``advance`` takes a negative number too, as a corrected clock does."""

    def __init__(self, now: Millis = START) -> None:
        self._now = now

    def now(self) -> Millis:
        return self._now

    def advance(self, milliseconds: int) -> Millis:
        self._now = Millis(self._now + milliseconds)
        return self._now
