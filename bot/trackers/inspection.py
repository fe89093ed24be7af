"""What ``trackside doctor`` asks of a tracker. Raises as the methods of ``bot.trackers.contract`` do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.clock import Millis


@dataclass(frozen=True, kw_only=True)
class Account:
    """
    Whom the credentials belong to, and what came with the answer.

    ``tracker_time`` is by the tracker's clock, to the second; ``remaining`` of ``limit`` requests are left; ``version``
    is that of a server of one's own. None where the tracker does not tell.
    """

    login: str
    tracker_time: Millis | None = None
    remaining: int | None = None
    limit: int | None = None
    version: str | None = None


@dataclass(frozen=True, kw_only=True)
class Hook:
    """A webhook of a repository."""

    id: int
    url: str
    active: bool
    events: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One try to deliver an event; ``status`` is what was answered, 0 or below when nothing was."""

    status: int


@dataclass(frozen=True, kw_only=True)
class Lacking:
    """A permission that a request was refused for want of."""

    permission: str
    level: str


@dataclass(frozen=True, kw_only=True)
class App:
    """
    An App as it is registered.

    ``lacking`` are the permissions, and ``unsent`` the events, that the bot needs and the App does not ask for.
    """

    slug: str
    lacking: tuple[Lacking, ...] = ()
    unsent: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Installation:
    """
    An App on the account of a repository.

    ``lacking`` are the permissions, and ``unsent`` the events, that the bot needs and its owner has not granted.
    ``url`` is the page where they change that, empty when it is not told.
    """

    id: int
    owner: str
    suspended: bool = False
    lacking: tuple[Lacking, ...] = ()
    unsent: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class AppHook:
    """The webhook of an App: its address, empty when there is none, and whether what it sends is signed."""

    url: str
    signed: bool


class Inspector(Protocol):
    """Looks without changing anything."""

    async def account(self) -> Account:
        """Return whom the credentials belong to."""
        ...

    async def may_push(self, repository: str) -> bool:
        """Return whether the account may write to the repository."""
        ...

    async def lacking(self, repository: str) -> Sequence[Lacking]:
        """Return what the credentials may not read though the bot does; writing cannot be tried."""
        ...

    async def hooks(self, repository: str) -> Sequence[Hook] | None:
        """Return the webhooks of the repository, None where the credentials may not look."""
        ...

    async def attempts(self, repository: str, hook: int) -> Sequence[Attempt]:
        """Return the latest tries to deliver, newest first, one page."""
        ...

    async def labels(self, repository: str) -> Sequence[str]:
        """Return the names of the labels of the repository."""
        ...


class Directory(Protocol):
    """Knows accounts and teams by their names."""

    async def exists(self, name: str) -> bool:
        """Return whether there is an account, or a team ``owner/team``, of this name that the bot may see."""
        ...


class AppInspector(Inspector, Protocol):
    """Looks at an App besides."""

    async def app(self) -> App:
        """Return the App as it is registered."""
        ...

    async def installation(self, repository: str) -> Installation | None:
        """Return the installation that a repository belongs to, None where there is none or no such repository."""
        ...

    async def app_hook(self) -> AppHook | None:
        """Return the App's webhook, None where the tracker does not tell of it."""
        ...

    async def app_attempts(self) -> Sequence[Attempt]:
        """Return the App's latest tries to deliver, newest first, one page."""
        ...
