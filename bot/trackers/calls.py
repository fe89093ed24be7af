"""A bound on how often the tracker is asked, for readings that repeat. Raises as ``bot.trackers.contract`` does."""

from __future__ import annotations

from typing import Protocol


class Meter(Protocol):
    """Counts calls, one at a time."""

    def spend(self) -> None:
        """Count a call that is about to be made. Raises ``CallsSpentError`` when there is none left."""
        ...

    def give_back(self) -> None:
        """Take back the last call: the tracker answered that nothing has changed, which costs no quota."""
        ...
