"""
Execution: one numbered attempt of a Work.

::

    LAUNCHING ──confirm──▶ RUNNING ──result──▶ PUBLISHING ──▶ FINISHED
      ▲ └──lease lost──▶ RECOVERING ──adopted──▶ RUNNING
      └──resume── PARKED ◀──suspended── RUNNING

Every write carries (execution, epoch) and needs a live lease; a claim of recovery raises the epoch, so the
old holder's writes are refused (C-56, C-73).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.clock import Millis
from bot.domain.identity import named
from bot.domain.kind import Capability, Fallback, Lifecycle
from bot.domain.result import Outcome, Result
from bot.domain.retry import RetryPolicy
from bot.domain.segment import Segments
from bot.domain.turn import Turn
from bot.ids import EventId, ExecutionId, ScopeId, WorkId


class Phase(enum.Enum):
    """Where an attempt stands."""

    LAUNCHING = "launching"
    RUNNING = "running"
    RECOVERING = "recovering"
    PUBLISHING = "publishing"
    """Its result is stored; what remains is to publish and to complete."""
    PARKED = "parked"
    """Suspended inside its turn: nobody holds it, nothing of it runs, it uses no slot; what it waits for resumes it."""
    FINISHED = "finished"


@dataclass(frozen=True, kw_only=True)
class Binding:
    """
    What an attempt runs on, as it was when it was claimed (C-20).

    ``timeout`` is in milliseconds. ``lifecycle`` is that of the Work's kind; ``terminal`` fails the Work when its
    retries are used up, instead of leaving it to a person (C-87). ``continues`` queues input of its own after a
    handoff (C-103). ``capabilities`` are those that the executor had, ``fallback`` what becomes of input that it could
    not take. ``account`` is the provider's account that its runs use, ``credentials`` the digest of what it is used
    with; ``estimate`` what one attempt is expected to use, in millionths by unit. ``grants`` names what a Work that
    opted in was granted, already part of ``config`` (C-29).
    """

    executor: str
    pool: str
    config: Mapping[str, object]
    timeout: int
    retry: RetryPolicy
    generation: str
    playbook: Mapping[str, Any] = field(default_factory=dict)
    lifecycle: Lifecycle = Lifecycle.PLAIN
    terminal: bool = False
    continues: bool = False
    capabilities: frozenset[Capability] = frozenset()
    fallback: Fallback = Fallback.QUEUE
    account: str | None = None
    credentials: str = ""
    estimate: Mapping[str, int] = field(default_factory=dict)
    grants: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Fence:
    """The authority to write to an attempt: its epoch."""

    execution: ExecutionId
    epoch: int


@dataclass(frozen=True, kw_only=True)
class Execution:
    """
    An attempt.

    ``slot`` is true while it counts against capacity: until it has finished *and* nothing of it can be
    running any more (C-75, C-154). ``declared`` is a turn that the run told us, applied only when its end
    is observed (C-121). ``token`` is the digest of the launch's toolbelt token. ``remaining`` is what is left of the
    timeout while it is parked (C-37, C-42), ``suspended`` what its executor needs to go on. ``staged`` is the part of
    its usage that was handed to the ledgers already, by unit (C-169).
    """

    id: ExecutionId
    work: WorkId
    scope: ScopeId
    number: int
    epoch: int
    owner: str
    lease_until: Millis
    phase: Phase
    slot: bool
    trigger: EventId
    binding: Binding
    segments: Segments
    deadline: Millis
    started_at: Millis
    ended_at: Millis | None = None
    recovery: Mapping[str, object] | None = None
    declared: Turn | None = None
    result: Result | None = None
    outcome: Outcome | None = None
    status: str | None = None
    summary: str = ""
    token: str = ""
    publish_tries: int = 0
    next_at: Millis = Millis(0)
    remaining: int | None = None
    suspended: Mapping[str, object] | None = None
    staged: Mapping[str, float] = field(default_factory=dict)

    @property
    def cause(self) -> EventId:
        """The event that what it does now derives from: the one that woke it last, else the one that triggered it."""
        wakes = [segment.wake for segment in self.segments.kept if segment.wake is not None]
        return wakes[-1] if wakes else self.trigger

    def __post_init__(self) -> None:
        named(id=self.id, work=self.work, scope=self.scope, owner=self.owner, trigger=self.trigger)

    @property
    def fence(self) -> Fence:
        """The authority of its current holder."""
        return Fence(execution=self.id, epoch=self.epoch)
