"""
Which repositories are served: those that the configuration names, and no other one.

Deliveries can tell of more: an App may be installed on all repositories of an account, and a hook stand above them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bot.clock import MINUTE, Clock, Millis
from bot.errors import TrackerMissingError
from bot.trackers.contract import Repository
from webhooks.fact_parts import RepositoryRef

FRESH = 10 * MINUTE
"""Milliseconds for which it is known what the names lead to."""


class ReadRepository(Protocol):
    """Finds a repository by a name that it has or had."""

    async def repository(self, full_name: str) -> Repository:
        """Return it. Raises ``TrackerError``."""
        ...


class Served:
    """Knows repositories by ``names``, each ``owner/name``, and by the ids that these lead to."""

    def __init__(self, tracker: ReadRepository, clock: Clock, names: Sequence[str]) -> None:
        self._tracker = tracker
        self._clock = clock
        self._names = {name.lower(): name for name in names}
        self._ids: frozenset[int] = frozenset()
        self._until: Millis | None = None

    async def serves(self, repository: RepositoryRef) -> bool:
        """
        Return whether a repository is one of ours. One that was renamed since is still (gh-K-09).

        Raises ``TrackerError`` when that cannot be found out: not to know is not the same as no (gh-L-17).
        """
        if repository.full_name.lower() in self._names:
            return True
        now = self._clock.now()
        if self._until is None or not now < self._until <= now + FRESH:
            self._ids = frozenset(filter(None, [await self._id(name) for name in self._names.values()]))
            self._until = Millis(now + FRESH)
        return repository.id in self._ids

    async def _id(self, name: str) -> int | None:
        try:
            return (await self._tracker.repository(name)).id
        except TrackerMissingError:
            # Deleted, or out of reach: whatever tells of another repository does not tell of this one.
            return None
