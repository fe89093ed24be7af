"""Time: the true one, and what the clock of each host shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import SECOND, Millis

START = Millis(1_700_010_000_000)
"""Early in a day: what is shown of a moment depends on the day on which it is shown."""


@dataclass(kw_only=True)
class TrueTime:
    """Time as it passes; the tracker's clock shows it, in whole seconds."""

    now: Millis = START

    @property
    def whole(self) -> Millis:
        """The current second."""
        return Millis(self.now // SECOND * SECOND)

    def since_start(self) -> str:
        """Return how long the simulation lasts, for people."""
        seconds, rest = divmod(self.now - START, SECOND)
        return f"{seconds // 60}:{seconds % 60:02}.{rest // 100}"


@dataclass(kw_only=True)
class HostClock:
    """The clock of a host, which may be ahead of the true time (``offset``, milliseconds) or behind it."""

    time: TrueTime
    offset: int = 0

    def now(self) -> Millis:
        """Return what the clock shows."""
        return Millis(self.time.now + self.offset)
