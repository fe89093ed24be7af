"""What happened, in lines that people can read, and how often what is worth reaching was reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.simulation.times import TrueTime

REACHED = (
    "kill",
    "race",
    "stand",
    "paused past a lease",
    "lost delivery",
    "doubled delivery",
    "late delivery",
    "clock back",
    "clock forward",
    "unavailable",
    "lost answer",
    "limited",
    "refused",
    "busy",
    "hang",
    "launch failed",
    "launch unclear",
    "not adoptable",
    "stop unclear",
    "late result",
    "declared",
    "claimed",
    "launched",
    "adopted",
    "relaunched",
    "recovered",
    "timed_out",
    "attempt_lost",
    "finished failed",
    "finished waiting",
    "finished completed",
    "hold",
    "approval",
    "refusal",
    "stale decision",
    "cancelled",
    "retry",
    "exhausted",
    "published",
    "interrupted",
    "deferred",
    "parked",
    "resumed",
    "budget hold",
    "operator hold",
    "released",
    "raised",
    "account paused",
    "input takes",
    "input takes nothing",
    "input loses",
    "wound up",
)
"""What many seeds together must reach, by name."""


@dataclass(kw_only=True)
class History:
    """Lines of what happened by whom, and counts of what was reached."""

    time: TrueTime
    step: int = 0
    lines: list[str] = field(default_factory=list)
    reached: Counter[str] = field(default_factory=Counter)

    def tell(self, actor: str, action: str) -> None:
        """Add a line."""
        self.lines.append(f"{self.step:4} {self.time.since_start():>9} {actor:<9} {action}")

    def reach(self, name: str, count: int = 1) -> None:
        """Count something that was reached."""
        self.reached[name] += count
