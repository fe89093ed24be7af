"""The trail of a launch: its steps, each with its beginning and how it ended (C-43)."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.clock import Millis

MAX_LAUNCH_PHASES = 20
"""The most phases that one segment records; later ones are left out."""


class LaunchStep(enum.Enum):
    """A step of a launch. Some lie within others: a secret is read while the environment is asked for."""

    TOOLBELT = "toolbelt"
    """The token by which the run declares its turn is made."""
    SECRETS = "secrets"
    """What the operator passes on to runs is read."""
    ENVIRONMENT = "environment"
    """The environment of the run is asked for."""
    WORKSPACE = "workspace"
    """The checkout and the prompt are made."""
    SANDBOX = "sandbox"
    """The run is bound to its sandbox."""
    SANDBOX_PLAN = "sandbox plan"
    """What the sandbox allows is decided."""
    SANDBOX_CREATE = "sandbox create"
    """The sandbox is made; an image that it needs is fetched."""
    SANDBOX_PIN = "sandbox pin"
    """The plan's digest is stored; from then on the sandbox lets processes run."""
    EXECUTOR = "executor"
    """The executor starts the run, or finds it again."""


class StepOutcome(enum.Enum):
    """How a step of a launch ended."""

    OK = "ok"
    FAILED = "failed"
    CANCELLED = "cancelled"
    """It was cut off: the lease was lost, the Work was cancelled, or the host ended."""


@dataclass(frozen=True, kw_only=True)
class LaunchPhase:
    """One step of one launch; ``ended_at`` and ``outcome`` are None while it is under way. Times are milliseconds."""

    step: LaunchStep
    started_at: Millis
    ended_at: Millis | None = None
    outcome: StepOutcome | None = None

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        outcome = None if self.outcome is None else self.outcome.value
        return {"step": self.step.value, "started_at": self.started_at, "ended_at": self.ended_at, "outcome": outcome}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> LaunchPhase:
        """Read the JSON form. Raises ``ValueError`` for a step or an outcome that there is not."""
        outcome = document["outcome"]
        return LaunchPhase(
            step=LaunchStep(document["step"]),
            started_at=Millis(document["started_at"]),
            ended_at=None if document["ended_at"] is None else Millis(document["ended_at"]),
            outcome=None if outcome is None else StepOutcome(outcome),
        )


def begun(trail: tuple[LaunchPhase, ...], step: LaunchStep, now: Millis) -> tuple[LaunchPhase, ...]:
    """Return the trail with a step that begins; a full trail stays as it is."""
    if len(trail) >= MAX_LAUNCH_PHASES:
        return trail
    return (*trail, LaunchPhase(step=step, started_at=now))


def ended(
    trail: tuple[LaunchPhase, ...], step: LaunchStep, outcome: StepOutcome, now: Millis
) -> tuple[LaunchPhase, ...]:
    """Return the trail with the newest phase of this step that is under way ended, if there is one."""
    for place in range(len(trail) - 1, -1, -1):
        if trail[place].step is step and trail[place].ended_at is None:
            return (*trail[:place], _closed(trail[place], outcome, now), *trail[place + 1 :])
    return trail


def cut_off(trail: tuple[LaunchPhase, ...], now: Millis) -> tuple[LaunchPhase, ...]:
    """Return the trail with everything that is under way cancelled."""
    return tuple(_closed(each, StepOutcome.CANCELLED, now) if each.ended_at is None else each for each in trail)


def _closed(phase: LaunchPhase, outcome: StepOutcome, now: Millis) -> LaunchPhase:
    return replace(phase, ended_at=max(now, phase.started_at), outcome=outcome)
