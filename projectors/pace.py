"""How fast may be written: limits that a tracker states, kept to before it has to say so."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import HOUR, MINUTE, SECOND, Millis


@dataclass(frozen=True, kw_only=True)
class Window:
    """At most ``most`` writes within any ``span`` milliseconds."""

    most: int
    span: int


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    The limits on all writes, and those on ``creations``, which people are notified of, beside them.

    ``jitter`` is the most that is added to a wait that the tracker asks for, as a part of it: of several bots that
    were told to wait not all come back at once, and nothing is ever taken off (gh-R-07).
    """

    writes: tuple[Window, ...] = ()
    creations: tuple[Window, ...] = ()
    jitter: float = 0.1


GITHUB = Pace(
    writes=(Window(most=20, span=20 * SECOND),),
    creations=(Window(most=80, span=MINUTE), Window(most=500, span=HOUR)),
)
"""
GitHub's own figures (gh-R-03): a second between many writes, and 80 creations a minute and 500 an hour.

A handful of writes, as one event of a person brings about, goes out at once; a large number is a second apart.
"""
UNPACED = Pace(jitter=0.0)
"""No limit, for a tracker that has none."""
PACES: Mapping[str, Pace] = {"github": GITHUB, "none": UNPACED}
"""The paces by the names that the configuration gives them."""


@dataclass(frozen=True)
class Tally:
    """What was written lately, held against windows."""

    windows: tuple[Window, ...]
    _times: deque[Millis] = field(default_factory=deque)

    def wait(self, now: Millis) -> int:
        """Return for how many milliseconds nothing more may be written, 0 when it may be now."""
        # What lies ahead was noted before the clock was set back, and must not make the wait longer.
        there = [time for time in self._times if time <= now]
        waits = [there[-each.most] + each.span - now for each in self.windows if len(there) >= each.most]
        return max([0, *waits])

    def add(self, now: Millis) -> None:
        """Note a write."""
        self._times.append(now)
        while len(self._times) > max((each.most for each in self.windows), default=0):
            self._times.popleft()
