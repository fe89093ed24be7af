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
