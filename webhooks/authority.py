"""Who may do what, asked live and remembered for seconds only (ag-D02)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from bot.approvals.policy import Voter
from bot.clock import SECOND, Clock, Millis
from bot.domain.permission import Permission
from bot.errors import TrackerError
from bot.trackers.contract import PermissionOf
from bot.trackers.teams import TeamsOf

FRESH = 5 * SECOND


class AsksOfPeople(PermissionOf, TeamsOf, Protocol):
    """What is asked of the tracker about people."""


class Somebody(Protocol):
    """A person: an account, and the login that it had at some moment."""

    @property
    def id(self) -> int:
        """The account, which never changes; 0 when it is not known."""
        ...

    @property
    def login(self) -> str:
        """The login; somebody else may have it by now."""
        ...


class Place(Protocol):
    """A repository: its id, and the name that it had at some moment."""

    @property
    def id(self) -> int:
        """The id, which never changes."""
        ...

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        ...


class Authority:
    """
    Permissions of people in repositories.

    An answer is used again within ``FRESH`` milliseconds. A failure to ask is never remembered and never means
    yes: it is raised.
    """

    def __init__(self, tracker: AsksOfPeople, clock: Clock) -> None:
        self._tracker = tracker
        self._clock = clock
        self._known: dict[tuple[int, int, str], tuple[Millis, Permission]] = {}

    async def permission(self, place: Place, person: Somebody) -> Permission:
        """
        Return the permission of a person. Raises ``TrackerError`` when it cannot be checked.

        Whose login belongs to another account by now has none (gh-K-07).
        """
        key = (place.id, person.id, person.login.lower())
        now = self._clock.now()
        known = self._known.get(key)
        if known is not None and _fresh(known[0], now):
            return known[1]
        permission = await self._tracker.permission(place.full_name, person.login, account=person.id or None)
        self._known = {k: entry for k, entry in self._known.items() if _fresh(entry[0], now)}
        self._known[key] = (now, permission)
        return permission

    async def voter(self, place: Place, person: Somebody, teams: Iterable[str]) -> Voter:
        """
        Return a person as they may decide now. Raises ``TrackerError`` when their permission cannot be checked.

        A team whose members cannot be asked for is left out of those that were asked.
        """
        permission = await self.permission(place, person)
        asked: set[str] = set()
        members: set[str] = set()
        for team in sorted(teams):
            try:
                # Members are asked for by login: only of one that is known to be this account's.
                member = permission > Permission.NONE and await self._tracker.in_team(team, person.login)
            except TrackerError:
                continue
            asked.add(team)
            members |= {team} if member else set()
        return Voter(
            id=person.id,
            login=person.login,
            permission=permission,
            teams=frozenset(members),
            asked=frozenset(asked),
        )

    async def account_of(self, login: str) -> int | None:
        """Return the id of the account that has a login now, or None. Raises ``TrackerError``."""
        return await self._tracker.account_of(login)


def _fresh(asked: Millis, now: Millis) -> bool:
    # A clock that was set back must not make an answer last.
    return 0 <= now - asked < FRESH
