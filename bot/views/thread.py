"""
What there is to show in one thread: values, filled from the store, read by the projectors.

Everything here is as it was stored. Text that people or agents wrote is still raw: it is made safe where a
comment is put together. All times are milliseconds.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.hold import HoldState
from bot.domain.permission import Permission
from bot.domain.result import Outcome
from bot.ids import HoldId, WorkId


class ThreadState(enum.Enum):
    """Where a Work stands, in the steps that a reader of its thread tells apart."""

    QUEUED = "queued"
    """Could start, but has no slot yet; ``waiting_for`` says why."""
    HELD = "held"
    """Has an open hold."""
    BLOCKED = "blocked"
    """Waits for other Work, which ``blockers`` names, or for what ``waits`` and ``next_at`` name."""
    PAUSED = "paused"
    """Its attempt was deferred without being counted; goes on by itself at ``next_at``."""
    RUNNING = "running"
    WAITING = "waiting"
    """Its attempt ended well, or stopped inside its turn; one of ``waits`` wakes it, or ``next_at``."""
    RETRYING = "retrying"
    """Its attempt failed; the next one starts at ``next_at``."""
    EXHAUSTED = "exhausted"
    """Its failures are used up; a person must act."""
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    GONE = "gone"
    """Its item cannot be reached any more."""

    @property
    def ended(self) -> bool:
        """Whether nothing can follow any more."""
        return self in _ENDED


_ENDED = frozenset({ThreadState.COMPLETED, ThreadState.CANCELLED, ThreadState.FAILED, ThreadState.GONE})


class HeldFor(enum.Enum):
    """What kind of hold it is; each has a label of its own."""

    GATE = "gate"
    BUDGET = "budget"
    VERDICT = "verdict"
    OPERATOR = "operator"


@dataclass(frozen=True, kw_only=True)
class RequirementView:
    """Who may decide, and how many of them: ``need`` people with ``permission``, or of ``users`` if it names any."""

    need: int
    permission: Permission
    users: tuple[str, ...] = ()
    not_starter: bool = False
    not_author: bool = False


@dataclass(frozen=True, kw_only=True)
class DecisionView:
    """What a person decided; ``verb`` is the command's word, such as ``approve``."""

    login: str
    verb: str
    reason: str = ""
    decided_at: Millis


@dataclass(frozen=True, kw_only=True)
class HoldView:
    """
    A hold, open or settled.

    ``person`` is who placed it, or None when no person did (a gate, a budget, a brake). ``unit`` is what ran
    out, for a budget. ``revision`` is the digest that a decision is bound to, and ``commit`` the commit that it covers,
    empty where only a text is asked about. ``carried`` is whether approvals of an earlier commit count here too, and
    ``moved_to`` the later commit at which those of this hold count.
    """

    id: HoldId
    kind: HeldFor
    reason: str = ""
    person: str | None = None
    unit: str | None = None
    revision: str = ""
    commit: str = ""
    carried: bool = False
    moved_to: str = ""
    requirements: tuple[RequirementView, ...] = ()
    decisions: tuple[DecisionView, ...] = ()
    state: HoldState = HoldState.OPEN
    settled_by: str | None = None
    settled_reason: str = ""
    settled_at: Millis | None = None


@dataclass(frozen=True, kw_only=True)
class BlockerView:
    """
    Another item that must be done first; ``needs_person`` when it will not get there by itself.

    ``repository`` is its ``owner/name``, empty for the same one. ``words`` are the status words of which one is waited
    for; without any, any word will do.
    """

    number: int
    repository: str = ""
    needs_person: bool = False
    words: tuple[str, ...] = ("done",)

    @property
    def name(self) -> str:
        """What people call it."""
        return f"{self.repository}#{self.number}"


@dataclass(frozen=True, kw_only=True)
class AttemptView:
    """
    An attempt that has ended: how and why, and what it used, by unit.

    ``status`` is the word that its turn said. Its time is by the clock, from ``started_at`` to ``ended_at``.
    """

    number: int
    outcome: Outcome
    status: str | None = None
    reason: str = ""
    started_at: Millis
    ended_at: Millis
    units: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class UsageView:
    """What was used: ``units`` by unit, of at most ``caps`` where a budget of the Work caps one."""

    attempts: int = 0
    turns: int = 0
    minutes: int = 0
    units: Mapping[str, float] = field(default_factory=dict)
    caps: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LabelView:
    """A label that shows one status of a playbook. ``color`` is six hex digits; empty leaves it to the default."""

    name: str
    color: str = ""
    description: str = ""
    completes: bool = False


@dataclass(frozen=True, kw_only=True)
class WorkView:
    """
    One run of a playbook in the thread.

    ``status`` and ``status_label`` are the word and label that stand now (while an attempt is live: those of the
    playbook's ``running`` status); ``labels`` are those of all its statuses. ``trigger`` is the label that starts
    the playbook. ``trigger_settled`` is whether that label was taken off after the end of this run: from then on
    it is a person's wish for another run, and none of the projector's business.

    ``comment`` is what the agent said last; ``notify`` asks for a comment of its own while the Work waits, or at its
    end. ``attempt`` counts attempts over the run's life, ``failed`` those that failed since the count was last reset,
    of ``attempts_allowed``; ``log`` are those that have ended, oldest first. ``starter`` started the run. ``head`` is
    the commit that waits for review; ``commit`` is the one that a run looks at whose item is a pull request, empty for
    any other. ``merged`` is whether the pull request was. ``waiting_for`` is a sentence that says what a start waits
    for. ``gates`` are the names of the gates of its playbook. ``unchecked`` is whether it waits for checks and none
    have appeared.
    """

    work: WorkId
    playbook: str
    run: int = 1
    state: ThreadState
    status: str | None = None
    status_label: str | None = None
    labels: tuple[LabelView, ...] = ()
    trigger: str | None = None
    trigger_settled: bool = False
    branch: str
    pull_request: int | None = None
    commit: str = ""
    head: str | None = None
    merged: bool = False
    attempt: int = 0
    attempts_allowed: int = 1
    failed: int = 0
    started_at: Millis | None = None
    next_at: Millis | None = None
    comment: str = ""
    notify: bool = False
    waits: tuple[str, ...] = ()
    unchecked: bool = False
    reason: str = ""
    ended_by: str | None = None
    starter: str
    waiting_for: str = ""
    blockers: tuple[BlockerView, ...] = ()
    holds: tuple[HoldView, ...] = ()
    gates: tuple[str, ...] = ()
    log: tuple[AttemptView, ...] = ()
    usage: UsageView = field(default_factory=UsageView)
    details_url: str | None = None

    @property
    def open_holds(self) -> tuple[HoldView, ...]:
        """The holds that keep it from starting."""
        return tuple(hold for hold in self.holds if hold.state is HoldState.OPEN)


@dataclass(frozen=True, kw_only=True)
class ThreadView:
    """
    One thread: ``item`` is its key in the store, ``repository`` its ``owner/name``.

    ``sections`` are the latest run of each playbook on the item, in the order in which they first came.
    ``labels_left_until`` is until when its labels are left as they are, since something else keeps changing them.
    """

    item: str
    repository: str
    number: int
    sections: tuple[WorkView, ...] = ()
    labels_left_until: Millis | None = None
