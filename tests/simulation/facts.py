"""What the simulation knows besides the store: the limits, the people, and what they saw when they said something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.admission import Limits
from tests.simulation.machine import Machine


@dataclass(frozen=True, kw_only=True)
class Seen:
    """The revision of an issue's text that a person saw when they decided, and when that was."""

    revision: str
    at: Millis


@dataclass(frozen=True, kw_only=True)
class Facts:
    """
    What the checks are told beside what is stored.

    ``limits`` are the capacity limits in force, ``together`` is what all runs of a day may use, in usd. ``decided``
    maps a comment to what its author saw.

    ``may_decide`` and ``may_start`` are the logins with enough permission; ``gated`` maps each playbook to whether a
    second person must approve its start.
    """

    limits: Limits
    together: int
    machine: Machine
    gated: Mapping[str, bool]
    may_decide: frozenset[str]
    decided: dict[str, Seen] = field(default_factory=dict)
