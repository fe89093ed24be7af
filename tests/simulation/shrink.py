"""From a history in which an invariant was violated to a short one in which it still is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.simulation.choices import Script

Fails = Callable[[Script], Script | None]
"""Whether a script still fails in the same way: the script as it was drawn up to there, or None."""


@dataclass(kw_only=True)
class Shrinker:
    """Holds the shortest failing script that was found, and tries others while ``tries`` are left."""

    best: Script
    fails: Fails
    tries: int

    def run(self) -> Script:
        """
        Return the shortest script that is found.

        First whole stretches of steps are left out, the longest first; then what a step draws is made duller.
        """
        before: Script = ()
        while self.best != before and self.tries > 0:
            before = self.best
            for size in _halves(len(self.best)):
                self._leave_out(size)
            for place in reversed(range(len(self.best))):
                self._make_dull(place)
        return self.best

    def _leave_out(self, size: int) -> None:
        start = len(self.best) - size
        # The first entry is the world itself.
        while start >= 1 and self.tries > 0:
            self._try((*self.best[:start], *self.best[start + size :]))
            start = min(start, len(self.best)) - size

    def _make_dull(self, place: int) -> None:
        if place >= len(self.best) or not self.best[place] or self._try(self._with(place, ())):
            return
        for index in reversed(range(len(self.best[place]))):
            step = self.best[place] if place < len(self.best) else ()
            if index < len(step) and step[index]:
                self._try(self._with(place, (*step[:index], 0, *step[index + 1 :])))

    def _with(self, place: int, step: tuple[int, ...]) -> Script:
        return (*self.best[:place], step, *self.best[place + 1 :])

    def _try(self, script: Script) -> bool:
        if self.tries <= 0:
            return False
        self.tries -= 1
        found = self.fails(script)
        if found is None or _cost(found) >= _cost(self.best):
            return False
        self.best = found
        return True


def shrink(script: Script, fails: Fails, *, tries: int = 500) -> Script:
    """Return a failing script that is as short as so many tries can make it."""
    return Shrinker(best=script, fails=fails, tries=tries).run()


def _halves(length: int) -> Iterator[int]:
    size = length // 2
    while size:
        yield size
        size //= 2


def _cost(script: Script) -> tuple[int, int, int]:
    return len(script), sum(len(step) for step in script), sum(sum(step) for step in script)
