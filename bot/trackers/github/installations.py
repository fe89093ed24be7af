"""Where an App is installed: one installation for each account, asked for once and then remembered."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from http import HTTPStatus

from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.github.client import Client, path_of
from bot.trackers.github.fields import Fields


@dataclass(frozen=True, kw_only=True)
class Installation:
    """An App on the account ``owner``."""

    id: int
    owner: str


def suspended(owner: str) -> TrackerError:
    """Return the error that an installation is suspended."""
    message = f"the App's installation on {owner} is suspended; its owner ends that in the settings of their Apps"
    return TrackerError(message, status=HTTPStatus.FORBIDDEN)


@dataclass
class Installations:
    """Finds the installation for a request. ``client`` asks as the App itself."""

    client: Client
    _by_repository: dict[str, Installation] = field(default_factory=dict)
    _by_owner: dict[str, Installation] = field(default_factory=dict)
    _turns: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def of_repository(self, name: str) -> Installation:
        """
        Return the installation that a repository belongs to.

        Raises ``TrackerMissingError`` where the App is not installed.
        """
        async with self._turns[name]:
            if name not in self._by_repository:
                try:
                    answer = await self.client.get(path_of(name, "installation"))
                except TrackerMissingError as error:
                    message = f"the App is not installed on {name}, or there is no such repository"
                    raise TrackerMissingError(message, status=error.status) from error
                self._by_repository[name] = self._noted(answer)
            return self._by_repository[name]

    async def of_owner(self, owner: str) -> Installation:
        """
        Return the installation on an account, or any other one where the App is not installed on that.

        Raises ``TrackerError`` when there is none that could be used.
        """
        if not self._by_owner:
            for entry in await self.client.pages("/app/installations"):
                if entry.document.get("suspended_at") is None:
                    self._noted(entry)
        any_other = next(iter(self._by_owner.values()), None)
        found = self._by_owner.get(owner, any_other)
        if found is None:
            raise TrackerError("the App is not installed anywhere, or is suspended: install it on the repositories")
        return found

    def forget(self, installation: Installation) -> None:
        """Ask again about all that belonged to an installation."""
        for known in (self._by_repository, self._by_owner):
            for name in [name for name, each in known.items() if each.id == installation.id]:
                del known[name]

    def forget_repository(self, name: str) -> None:
        """Ask again about a repository, which may have come to another account."""
        self._by_repository.pop(name, None)

    def _noted(self, answer: Fields) -> Installation:
        found = Installation(id=answer.number("id"), owner=answer.child("account").text("login"))
        self._by_owner[found.owner.lower()] = found
        return found
