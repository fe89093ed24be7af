"""
What the bot asks of an issue tracker, in narrow parts.

Every method may raise ``TrackerUnavailableError`` (try again later; ``RateLimitedError`` says when),
``TrackerMissingError`` (404 or 410) or ``TrackerError`` (refused; ``status`` tells how). Reads are live:
nothing here is cached, since permissions, heads and states that matter are asked for at the moment of use.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.clock import Millis
from bot.domain.permission import Permission as Permission  # noqa: PLC0414 - part of this contract
from bot.trackers.assignees import WriteAssignees
from bot.trackers.calls import Meter
from bot.trackers.changes import ReadChanges
from bot.trackers.checks import ReadChecks, WriteChecks
from bot.trackers.deliveries import Redeliver
from bot.trackers.teams import TeamsOf


@dataclass(frozen=True, kw_only=True)
class Person:
    """An account. ``bot`` is true for apps and machine accounts that the tracker marks as such."""

    id: int
    login: str
    bot: bool = False


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A repository; ``id`` is the tracker's numeric id and never changes, names do."""

    id: int
    owner: str
    owner_id: int
    name: str
    default_branch: str
    clone_url: str

    @property
    def full_name(self) -> str:
        """``owner/name``, as the tracker writes it now."""
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Issue:
    """An issue (or the issue side of a pull request)."""

    number: int
    title: str
    body: str
    open: bool
    locked: bool
    labels: tuple[str, ...]
    author: Person
    is_pull_request: bool
    updated_at: Millis
    url: str
    assignees: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class IssueEvent:
    """
    An entry of an issue's own history.

    ``kind`` is the tracker's word, such as ``labeled``, ``unlabeled``, ``closed``, ``reopened``;
    ``label`` is set for the first two. ``number`` is the issue's.
    """

    id: int
    number: int
    kind: str
    actor: Person | None
    label: str | None
    created_at: Millis


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment in the thread of an issue or pull request (``number`` is that thread's)."""

    id: int
    number: int
    body: str
    author: Person
    created_at: Millis
    updated_at: Millis


class Verdict(enum.Enum):
    """What a submitted review says."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"


@dataclass(frozen=True, kw_only=True)
class Review:
    """A submitted review of a pull request, given on ``commit``."""

    id: int
    number: int
    body: str
    author: Person
    verdict: Verdict
    commit: str
    submitted_at: Millis


@dataclass(frozen=True, kw_only=True)
class LineComment:
    """A comment of a review on a line of a file; ``line`` is None when the line is not there any more."""

    id: int
    path: str
    line: int | None
    body: str
    author: Person


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """A pull request as it is now. ``from_fork`` is whether its head is no branch of the same repository."""

    number: int
    title: str
    body: str
    open: bool
    merged: bool
    draft: bool
    head_ref: str
    head_sha: str
    base_ref: str
    author: Person
    url: str
    from_fork: bool = False


class Reaction(enum.Enum):
    """The reactions that the bot gives."""

    EYES = "eyes"
    THUMBS_UP = "+1"
    CONFUSED = "confused"


class ReadThreads(ReadChanges, Protocol):
    """Reading repositories, their issues, and the history and threads of these."""

    async def repository(self, full_name: str) -> Repository:
        """Return the repository as it is now."""
        ...

    async def issue(self, repository: str, number: int) -> Issue:
        """Return the issue as it is now. ``repository`` is ``owner/name`` in all of these."""
        ...

    async def issues(self, repository: str, *, label: str) -> Sequence[Issue]:
        """Return all open issues and pull requests that carry the label."""
        ...

    async def issues_since(self, repository: str, since: Millis) -> Sequence[Issue]:
        """Return all issues and pull requests, open or not, updated at or after ``since``, oldest first, every page."""
        ...

    async def issue_events(self, repository: str, number: int, *, after: int = 0) -> Sequence[IssueEvent]:
        """Return the issue's own events with an id above ``after``, oldest first."""
        ...

    async def comments(self, repository: str, number: int) -> Sequence[Comment]:
        """Return all comments of one thread, every page, oldest first."""
        ...

    async def comment(self, repository: str, comment: int) -> Comment:
        """Return a thread comment as it is now."""
        ...

    async def comments_since(self, repository: str, since: Millis) -> Sequence[Comment]:
        """Return the repository's thread comments updated at or after ``since``, oldest first, every page."""
        ...

    async def reviews(self, repository: str, number: int) -> Sequence[Review]:
        """Return the submitted reviews of a pull request, oldest first, every page."""
        ...

    async def line_comments(self, repository: str, number: int, review: int) -> Sequence[LineComment]:
        """Return the comments on lines that belong to a review, oldest first, every page."""
        ...

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        """Return the pull request as it is now."""
        ...

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        """Return the newest pull request, open or not, whose head is this branch of the same repository."""
        ...


class Reads(ReadThreads, ReadChecks, Protocol):
    """All that is read of what happened."""


class PermissionOf(Protocol):
    """Who may do what, asked live (ag-D02)."""

    async def permission(self, repository: str, login: str, *, account: int | None = None) -> Permission:
        """
        Return the collaborator permission, teams and roles counted. An unknown account has ``NONE``.

        So has a login that is not that of ``account``, where one is given.
        """
        ...

    async def account_of(self, login: str) -> int | None:
        """Return the id of the account that has this login now, or None when nobody has it."""
        ...


class WriteThreads(Protocol):
    """Writing to threads; only ``projectors.apply`` uses it."""

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """Post a comment. Never repeated by the adapter: the caller looks for its marker before a retry."""
        ...

    async def update_comment(self, repository: str, comment: int, body: str) -> None:
        """Replace the body of one of our comments."""
        ...

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        """Create the label when it does not exist; leave an existing one as people made it."""
        ...

    async def add_labels(self, repository: str, number: int, names: Sequence[str]) -> None:
        """Add labels to an issue or pull request; those already there stay."""
        ...

    async def remove_label(self, repository: str, number: int, name: str) -> None:
        """Take a label off; taking off one that is not there is fine."""
        ...

    async def react_to_issue(self, repository: str, number: int, reaction: Reaction) -> None:
        """React to an issue itself. Repeating it is fine."""
        ...

    async def react_to_comment(self, repository: str, comment: int, reaction: Reaction) -> None:
        """React to a thread comment. Repeating it is fine."""
        ...


class WritePullRequests(Protocol):
    """Opening pull requests; only ``bot.publishing`` uses it."""

    async def create_pull_request(
        self, repository: str, *, head_ref: str, base_ref: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        """Open a pull request. Never repeated by the adapter: the caller looks for the head first."""
        ...

    async def update_pull_request(self, repository: str, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        ...


class Tracker(
    ReadThreads,
    PermissionOf,
    WriteThreads,
    WritePullRequests,
    WriteAssignees,
    ReadChecks,
    WriteChecks,
    TeamsOf,
    Redeliver,
    Protocol,
):
    """All of it; the composition root hands out the narrow parts."""

    async def me(self) -> Person:
        """Return the account that the bot acts as."""
        ...

    def sparing(self, meter: Meter) -> Reads:
        """
        Return readings that repeat what was read before only when it has changed, and are counted.

        Nothing that decides may read so: what is the same to the tracker's cache may be older than what is (gh-O-06).
        Each of them also raises ``CallsSpentError``.
        """
        ...

    async def git_token(self, repository: str) -> str:
        """Return the token by which git reaches a repository now. It may be over within minutes: never keep it."""
        ...

    @property
    def hidden(self) -> frozenset[str]:
        """The tokens that were in use lately, which are never shown."""
        ...
