"""Timers: durable rows that say when a Work becomes eligible again (C-106); one of each kind."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.identity import named
from bot.ids import EventId, TimerId, WorkId


class TimerKind(enum.Enum):
    """What a timer is for."""

    RETRY = "retry"
    """Another try after a failure."""
    DEFERRED = "deferred"
    """Another try after a start that was put off without being counted."""
    WAIT = "wait"
    """The moment at which a wait ends by itself."""


@dataclass(frozen=True, kw_only=True)
class Timer:
    """
    An armed timer.

    ``generation`` is the number of the attempt whose end armed it, ``cause`` the event that had triggered that
    attempt.
    """

    id: TimerId
    work: WorkId
    kind: TimerKind
    due_at: Millis
    generation: int
    cause: EventId

    def __post_init__(self) -> None:
        named(id=self.id, work=self.work, cause=self.cause)
