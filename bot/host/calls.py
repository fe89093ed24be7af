"""How many calls the readings that repeat may make, so that people's commands and the bot's answers find some left."""

from __future__ import annotations

from dataclasses import dataclass

from prometheus_client import Counter

from bot.clock import Clock, Millis
from bot.errors import CallsSpentError
from bot.metrics import REGISTRY

LEAST = 10
"""Calls with which one repository gets somewhere: fewer are not handed out."""

_CALLS = Counter(
    "trackside_sweep_calls", "Calls by which the tracker was looked at, by reading", ["reading"], registry=REGISTRY
)
_FREE = Counter(
    "trackside_sweep_calls_free", "Those of them that found nothing changed", ["reading"], registry=REGISTRY
)


@dataclass(kw_only=True)
class Calls:
    """
    At most ``most`` calls in each ``window`` of milliseconds, handed out in shares. Calls that cost nothing are free.

    ``reading`` names who makes them, for the metric.
    """

    reading: str
    most: int
    window: int
    clock: Clock
    _began: Millis = Millis(0)
    _used: int = 0
    _share: int = 0

    def share(self, among: int) -> bool:
        """
        Hand out a part of what is left, for the first of so many. Returns whether there is enough to get somewhere.

        What the first leaves over is there for those after it.
        """
        least, left = min(LEAST, self.most), self._left()
        self._share = max(left // among, least)
        return left >= least

    def spend(self) -> None:
        """Count a call. Raises ``CallsSpentError`` when the share is used up."""
        if self._share <= 0:
            raise CallsSpentError(f"the share of {self.most} calls is used up")
        self._share -= 1
        self._used += 1
        _CALLS.labels(self.reading).inc()

    def give_back(self) -> None:
        """Count the last call as free."""
        self._share += 1
        self._used -= 1
        _FREE.labels(self.reading).inc()

    def _left(self) -> int:
        now = self.clock.now()
        # A clock that was set back must not keep the bot from looking.
        if not self._began <= now < self._began + self.window:
            self._began, self._used = now, 0
        return self.most - self._used
