"""Who may do what, asked live and remembered for seconds only (ag-D02)."""

from __future__ import annotations

from bot.clock import SECOND, Clock, Millis
from bot.domain.permission import Permission
from bot.trackers.contract import PermissionOf

FRESH = 5 * SECOND


class Authority:
    """
    Permissions of people in repositories.

    An answer is used again within ``FRESH`` milliseconds. A failure to ask is never remembered and never means
    yes: it is raised.
    """

    def __init__(self, tracker: PermissionOf, clock: Clock) -> None:
        self._tracker = tracker
        self._clock = clock
        self._known: dict[tuple[str, str], tuple[Millis, Permission]] = {}

    async def permission(self, repository: str, login: str) -> Permission:
        """Return the permission of a person. Raises ``TrackerError`` when it cannot be checked."""
        key = (repository, login.lower())
        now = self._clock.now()
        known = self._known.get(key)
        if known is not None and _fresh(known[0], now):
            return known[1]
        permission = await self._tracker.permission(repository, login)
        self._known = {k: entry for k, entry in self._known.items() if _fresh(entry[0], now)}
        self._known[key] = (now, permission)
        return permission


def _fresh(asked: Millis, now: Millis) -> bool:
    # A clock that was set back must not make an answer last.
    return 0 <= now - asked < FRESH
