"""
Work: one thing to get done.

::

    READY ──claim──▶ RUNNING ──▶ WAITING ──input──▶ READY
      ▲                 │ ├────▶ COMPLETED
      ├──failed, timer──┤ ├────▶ EXHAUSTED
      ├──deferred───────┤ └────▶ FAILED
      ├──interrupted────┤
      └──handoff────────┘
    any live state ──▶ CANCELLED          COMPLETED, CANCELLED and FAILED are final (C-127)
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.clock import Millis
from bot.domain.brake import Marks
from bot.domain.identity import named
from bot.ids import ScopeId, WorkId


class Gone(enum.Enum):
    """Why a Work is cancelled whose item cannot be reached any more; the value is the reason that people read."""

    MOVED = "the issue was transferred or deleted"
    UNINSTALLED = "the app was uninstalled"
    SUSPENDED = "the app was suspended"
    REMOVED = "the repository was taken from the app"
    DELETED = "the repository was deleted"


class WorkState(enum.Enum):
    """Where a Work stands."""

    READY = "ready"
    """May start when admission allows it."""
    RUNNING = "running"
    """Has a live attempt."""
    WAITING = "waiting"
    """Its last attempt ended well, or is parked inside its turn; what it waits for makes it ready."""
    EXHAUSTED = "exhausted"
    """Its failures are used up, or it failed permanently; a person must act."""
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"

    @property
    def final(self) -> bool:
        """Whether nothing can follow any more."""
        return self in FINAL


FINAL = frozenset({WorkState.COMPLETED, WorkState.CANCELLED, WorkState.FAILED})


class BlockedReason(enum.Enum):
    """Why an exhausted Work stopped trying."""

    PERMANENT_FAILURE = "permanent_failure"
    RETRIES_EXHAUSTED = "retries_exhausted"
    INVALID_HINT = "invalid_hint"
    """Its executor named a time for the next try that makes no sense (C-111)."""


@dataclass(frozen=True, kw_only=True)
class Starter:
    """The person whose action started the Work."""

    id: int
    login: str


@dataclass(frozen=True, kw_only=True)
class Instructions:
    """
    The text that the Work is about, as it was when someone answered for it; ``revision`` is its digest.

    ``head`` is the commit that it is about, for a pull request; the revision covers it too. ``patch`` is a digest of
    what the pull request changes, empty when that is not known. Both are empty for an issue. ``author_id`` is 0 in what
    was written down before ids were.
    """

    title: str
    body: str
    author: str
    revision: str
    head: str = ""
    patch: str = ""
    author_id: int = 0

    def same_change(self, other: Instructions) -> bool:
        """
        Whether both are the same text about the same change, whatever its commits: what was said of one holds for both.

        Not known is not the same: a change that could not be read whole is another one at each head.
        """
        if self.revision == other.revision:
            return True
        mine, theirs = ((each.title, each.body, each.patch) for each in (self, other))
        return bool(self.head and other.head and self.patch) and mine == theirs


@dataclass(frozen=True, kw_only=True)
class Work:
    """
    One run of a playbook on one item.

    ``run`` counts the runs of this playbook on this item from 1. ``attempts`` counts executions over its
    life, ``failures`` those since the failure budget was last reset (C-108, C-126). ``gate_pass`` is the
    approved revision that lets the next start skip the gates once (C-188), ``budget_pass`` lets it start over budget
    once (C-174). ``by_label`` is whether it was started by a label, which must stay on the item. ``priority`` is higher
    for what goes first. ``failed_seq`` is the acceptance number up to which events are older than the current failure
    (C-125). ``gone`` is whether it was cancelled because its item is
    out of reach. ``version`` grows with each write.
    """

    id: WorkId
    scope: ScopeId
    kind: str
    playbook: str
    item: str
    number: int
    run: int
    state: WorkState
    status: str | None
    comment: str = ""
    waits: tuple[str, ...] = ()
    starter: Starter
    instructions: Instructions
    branch: str
    pull_request: int | None = None
    by_label: bool = True
    attempts: int = 0
    failures: int = 0
    gate_pass: str | None = None
    budget_pass: bool = False
    priority: int = 0
    marks: Marks = field(default_factory=Marks)
    blocked: BlockedReason | None = None
    reason: str = ""
    ended_by: str | None = None
    usage: Mapping[str, float] = field(default_factory=dict)
    failed_seq: int = 0
    created_at: Millis
    updated_at: Millis
    ended_at: Millis | None = None
    gone: bool = False
    version: int = 1

    def __post_init__(self) -> None:
        named(id=self.id, scope=self.scope, playbook=self.playbook, item=self.item)

    @property
    def pull(self) -> int | None:
        """The pull request that it is about or has made, if there is one."""
        return self.number if self.instructions.head else self.pull_request

    def charged(self, units: Mapping[str, float]) -> Work:
        """Return the Work with what one of its attempts used added to its own usage, by unit."""
        both = sorted({*self.usage, *units})
        return replace(self, usage={unit: self.usage.get(unit, 0.0) + units.get(unit, 0.0) for unit in both})
