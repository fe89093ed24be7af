"""The things that the tracker knows, as they are in one transaction."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from bot.clock import Millis

T = TypeVar("T")


class AccountKind(enum.Enum):
    """What stands behind an account; the value is GitHub's word."""

    USER = "User"
    BOT = "Bot"
    ORGANIZATION = "Organization"


class Role(enum.Enum):
    """What an account may do in a repository, from nothing to everything."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    MAINTAIN = "maintain"
    ADMIN = "admin"

    def allows(self, needed: Role) -> bool:
        """Return whether this role includes the needed one."""
        order = list(Role)
        return order.index(self) >= order.index(needed)

    def legacy(self) -> str:
        """Return the coarse word that GitHub's ``permission`` field has for it."""
        return _COARSE.get(self, self).value


_COARSE = {Role.MAINTAIN: Role.WRITE, Role.TRIAGE: Role.READ}


class ReviewState(enum.Enum):
    """What a review says."""

    APPROVED = "APPROVED"
    CHANGES_REQUESTED = "CHANGES_REQUESTED"
    COMMENTED = "COMMENTED"
    DISMISSED = "DISMISSED"


@dataclass(frozen=True, kw_only=True)
class Account:
    """A person, a bot or an organisation."""

    id: int
    login: str
    kind: AccountKind
    name: str | None
    created_at: Millis


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A repository; ``open_threads`` counts its open issues and pull requests."""

    id: int
    owner: Account
    name: str
    default_branch: str
    private: bool
    created_at: Millis
    open_threads: int

    @property
    def full_name(self) -> str:
        """``owner/name``."""
        return f"{self.owner.login}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Label:
    """A label; ``color`` is six hexadecimal digits."""

    id: int
    name: str
    color: str
    description: str | None


@dataclass(frozen=True, kw_only=True)
class Thread:
    """
    An issue, or the issue side of a pull request (``pull``).

    ``version`` grows with everything that shows in the thread. ``reactions`` counts by content.
    """

    id: int
    number: int
    title: str
    body: str | None
    author: Account
    association: str
    open: bool
    state_reason: str | None
    locked: bool
    labels: tuple[Label, ...]
    assignees: tuple[Account, ...]
    reactions: Mapping[str, int]
    comment_count: int
    pull: bool
    draft: bool
    merged_at: Millis | None
    version: int
    created_at: Millis
    updated_at: Millis
    closed_at: Millis | None
    closed_by: Account | None

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of its labels, in the order in which they were added."""
        return tuple(label.name for label in self.labels)


@dataclass(frozen=True, kw_only=True)
class Comment:
    """A comment in the thread ``number``."""

    id: int
    number: int
    on_pull: bool
    author: Account
    association: str
    body: str
    reactions: Mapping[str, int]
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """One account's reaction to an issue or a comment."""

    id: int
    account: Account
    content: str
    created_at: Millis


@dataclass(frozen=True, kw_only=True)
class HistoryEntry:
    """What was done to a thread; ``detail`` holds GitHub's further fields, such as ``label``."""

    id: int
    number: int
    actor: Account
    kind: str
    detail: Mapping[str, Mapping[str, str]]
    commit_id: str | None
    created_at: Millis


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What lies between two commits: sizes, and whether they merge without a conflict."""

    commits: int
    additions: int
    deletions: int
    changed_files: int
    mergeable: bool


@dataclass(frozen=True, kw_only=True)
class Pull:
    """The pull request side of a thread. Once merged, ``base_sha`` is the base just before."""

    id: int
    thread_id: int
    number: int
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool
    measure: Measure
    merged_at: Millis | None
    merged_by: Account | None
    merge_sha: str | None


@dataclass(frozen=True, kw_only=True)
class Review:
    """A submitted review, given on ``commit_id``."""

    id: int
    author: Account
    association: str
    state: ReviewState
    body: str
    commit_id: str
    submitted_at: Millis


@dataclass(frozen=True, kw_only=True)
class LineComment:
    """A comment on a line of a file, as its review's commit has it."""

    id: int
    review_id: int
    author: Account
    association: str
    path: str
    line: int
    body: str
    commit_id: str
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class Hook:
    """A webhook; ``events`` are names, or ``*`` for all."""

    id: int
    url: str
    secret: str
    events: tuple[str, ...]
    active: bool
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class Installation:
    """
    An App where one account let it in.

    ``selection`` is ``all`` or ``selected``; ``permissions`` are the levels that the account granted, by name.
    """

    id: int
    app_id: int
    app_slug: str
    client_id: str
    account: Account
    selection: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    suspended_at: Millis | None
    suspended_by: Account | None
    created_at: Millis
    updated_at: Millis


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """
    One sending of one event to one hook.

    A redelivery is a delivery of its own with the same ``guid``. ``status_code`` is 0 when nobody answered;
    ``duration`` is in milliseconds; all are None while it is queued. ``target`` is what the hook belongs to: an App
    (``of_app``) or a repository.
    """

    id: int
    hook_id: int
    url: str
    secret: str
    guid: str
    event: str
    action: str | None
    payload: str
    redelivery: bool
    target: int
    of_app: bool
    repository_id: int | None
    installation_id: int | None
    delivered_at: Millis | None
    duration: int | None
    status_code: int | None
    status: str | None
    response: str | None


@dataclass(frozen=True, kw_only=True)
class Window:
    """A stretch of a list: at most ``limit`` entries after the first ``offset``."""

    limit: int = 100
    offset: int = 0


EVERYTHING = Window(limit=1_000_000)


@dataclass(frozen=True, kw_only=True)
class Listed(Generic[T]):
    """The entries of a window, and how many there are in all (0 where the window lies beyond the end)."""

    entries: tuple[T, ...]
    total: int
