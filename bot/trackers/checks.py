"""
Checks of commits, as the bot reads and writes them.

A check is either a check run, which only apps may write, or a commit status. Both are read as one list. The methods
raise as those of ``bot.trackers.contract`` do.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


class Conclusion(enum.Enum):
    """How a check ended; the values are the tracker's words for check runs."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    TIMED_OUT = "timed_out"
    ACTION_REQUIRED = "action_required"
    STALE = "stale"
    STARTUP_FAILURE = "startup_failure"

    @property
    def green(self) -> bool:
        """Whether a check that ended so keeps nobody from merging."""
        return self in _GREEN


_GREEN = frozenset({Conclusion.SUCCESS, Conclusion.NEUTRAL, Conclusion.SKIPPED})


PREFIX = "trackside/"
"""How the names of our own checks begin."""


class MakerKind(enum.Enum):
    """What made a check: apps write check runs, accounts write commit statuses. Their ids have nothing in common."""

    APP = "app"
    ACCOUNT = "account"


@dataclass(frozen=True)
class Maker:
    """Who made a check; ``id`` is the tracker's, among those of its kind."""

    kind: MakerKind
    id: int


@dataclass(frozen=True, kw_only=True)
class Check:
    """
    The latest check of its name on a commit.

    ``id`` is that of the check run or status. ``conclusion`` is None until it has ended. ``maker`` is who made it, None
    when the tracker does not tell; ``external`` is the name that its maker gave it, empty without one.
    """

    id: int
    name: str
    conclusion: Conclusion | None
    maker: Maker | None = None
    external: str = ""
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """
    What a check of ours says.

    ``conclusion`` is None while it is open. ``title`` is one line; ``summary`` is Markdown of at most 65,535
    characters; ``url`` is where its details are, empty for none.
    """

    name: str
    conclusion: Conclusion | None
    title: str
    summary: str = ""
    url: str = ""


@dataclass(frozen=True, kw_only=True)
class Writer:
    """
    As whom the bot writes checks: ``account`` always, and ``app`` where it acts as an App, None with a token.

    Only an App may write check runs; with a token there are commit statuses.
    """

    account: int
    app: int | None = None

    def wrote(self, check: Check) -> bool:
        """
        Whether a check is one of our own.

        All that our App wrote is. An account may be that of a person, whose token reports other things too: of what it
        wrote, only what is named as ours is.
        """
        if check.maker is None:
            return False
        if check.maker == Maker(MakerKind.ACCOUNT, self.account):
            return check.name.startswith(PREFIX)
        return self.app is not None and check.maker == Maker(MakerKind.APP, self.app)


class ReadChecks(Protocol):
    """Reading the checks of a commit, and telling our own from others."""

    @property
    def app(self) -> int | None:
        """The id of the App that the bot acts as, which may write check runs; None where it has a token."""
        ...

    async def checks(self, repository: str, sha: str) -> Sequence[Check]:
        """
        Return the latest check runs and commit statuses of a commit, every page.

        Of a status name there is one, whoever set it last: so the tracker counts them. Check runs of one name may be
        several, of several makers or of several suites.
        """
        ...


class WriteChecks(Protocol):
    """Writing our own checks; only ``projectors`` uses it."""

    async def create_check(self, repository: str, sha: str, shown: Shown, *, external: str) -> int:
        """Make a check run and return its id. Never repeated by the adapter: the caller looks for ``external``."""
        ...

    async def update_check(self, repository: str, check: int, shown: Shown) -> None:
        """Rewrite a check run of ours."""
        ...

    async def set_status(self, repository: str, sha: str, shown: Shown) -> None:
        """Set the commit status of this name, where no app may write check runs."""
        ...
