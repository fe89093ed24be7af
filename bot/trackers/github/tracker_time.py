"""The tracker's clock, as far as its answers tell it: what is signed for the tracker is dated by it."""

from __future__ import annotations

from dataclasses import dataclass

import httpx

from bot.clock import SECOND, Clock, Millis
from bot.trackers.github.refusal import moment_of


@dataclass
class TrackerTime:
    """Our own clock, put right by the ``Date`` of the latest answer; ``ahead`` is by how many milliseconds."""

    clock: Clock
    ahead: int = 0

    def note(self, answer: httpx.Response) -> None:
        """Learn from an answer; one without a date tells nothing."""
        told = moment_of(answer.headers.get("date", ""))
        if told is not None:
            self.ahead = told * SECOND - self.clock.now()

    def now(self) -> Millis:
        """Return the moment by the tracker's clock, to a second or two."""
        return Millis(self.clock.now() + self.ahead)
