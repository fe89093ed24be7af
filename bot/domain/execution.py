"""
Execution: one numbered attempt of a Work.

::

    LAUNCHING ──confirm──▶ RUNNING ──result──▶ PUBLISHING ──▶ FINISHED
        └──lease lost──▶ RECOVERING ──adopted──▶ RUNNING

Every write carries (execution, epoch) and needs a live lease; a claim of recovery raises the epoch, so the
old holder's writes are refused (C-56, C-73).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.clock import Millis
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
    FINISHED = "finished"


@dataclass(frozen=True, kw_only=True)
class Binding:
    """What an attempt runs on, as it was when it was claimed (C-20). ``timeout`` is in milliseconds."""

    executor: str
    pool: str
    config: Mapping[str, object]
    timeout: int
    retry: RetryPolicy
    generation: str
    playbook: Mapping[str, Any] = field(default_factory=dict)


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
    is observed (C-121). ``token`` is the digest of the launch's toolbelt token.
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

    @property
    def fence(self) -> Fence:
        """The authority of its current holder."""
        return Fence(execution=self.id, epoch=self.epoch)
