"""The closed list of reasons why a Work is not starting. The claim, ``/status`` and the board all speak it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.brake import Brakes
from bot.domain.budget import Budget

JOBS = "jobs"
"""The pool of jobs, which has a setting of its own; every other one is bounded as agent turns are (C-147, C-149)."""


class Reason(enum.Enum):
    """Why a Work does not start now; the docstring of each is what people are told."""

    ENDED = "ended"
    """It has ended."""
    RUNNING = "running"
    """An attempt is running."""
    EXHAUSTED = "exhausted"
    """It stopped after its last failure; a person must act."""
    WAITING = "waiting"
    """It waits for a person's answer or review."""
    NO_INPUT = "no input"
    """There is nothing new to work on."""
    HELD = "held"
    """It is held; a person must decide."""
    RETRY_DUE = "retry due"
    """It starts again by itself after a failure."""
    DEFERRED = "deferred"
    """Its start was put off, without being counted; it goes on by itself."""
    PAUSED_ACCOUNT = "paused account"
    """The provider's account that it uses is paused; it goes on by itself, or when the credentials are renewed."""
    PROBING = "probing"
    """Its account was paused until a moment ago, and is tried by one run first; it starts by itself."""
    BRAKE = "brake"
    """It started too often without getting anywhere; a person must look."""
    OVER_BUDGET = "over budget"
    """A budget is used up; a person may allow more."""
    RESERVED = "reserved"
    """What is left of a budget is reserved for runs under way; it starts by itself when they leave enough."""
    NO_PLAYBOOK = "no playbook"
    """Its playbook is not there any more; the operator must act."""
    STOPPING = "stopping"
    """Its previous run is still being stopped."""
    POOL_FULL = "pool full"
    """It waits for a free slot; it starts by itself."""
    SCOPE_FULL = "scope full"
    """It waits for a free slot of its repository or owner; it starts by itself."""


@dataclass(frozen=True, kw_only=True)
class Admit:
    """It may start."""


class CapacityCode(enum.Enum):
    """The setting whose limit holds a start back (C-157)."""

    CONCURRENCY = "capacity_concurrency"
    JOB_CONCURRENCY = "capacity_job_concurrency"
    SCOPE = "capacity_scope"


@dataclass(frozen=True, kw_only=True)
class Refused:
    """
    It may not start now.

    ``detail`` names what holds it back, such as the pool (C-145); ``until`` is when that ends by itself. ``code`` names
    the setting when it is one of capacity.
    """

    reason: Reason
    detail: str = ""
    until: Millis | None = None
    code: CapacityCode | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """
    How many attempts may hold a slot at once: by pool (C-143, C-149), and by scope for it and all below (C-6).

    A pool that is not named is bounded by ``default``.
    """

    default: int = 4
    pools: tuple[tuple[str, int], ...] = (("jobs", 4),)
    scopes: tuple[tuple[str, int], ...] = ()

    def pool(self, name: str) -> int:
        """Return the limit of a pool."""
        return dict(self.pools).get(name, self.default)


@dataclass(frozen=True, kw_only=True)
class Terms:
    """
    On what terms Work of a playbook may start now, as they are configured.

    ``budgets`` are all that are configured; each knows which Work it counts. ``estimate`` is what one attempt is
    expected to use, ``ceiling`` how far people may raise the budget of one Work, both in millionths by unit.
    ``account`` is the provider's account that its runs use.
    """

    pool: str
    limits: Limits = Limits()
    budgets: tuple[Budget, ...] = ()
    estimate: Mapping[str, int] = field(default_factory=dict)
    ceiling: Mapping[str, int] = field(default_factory=dict)
    account: str | None = None
    brakes: Brakes = field(default_factory=Brakes)
