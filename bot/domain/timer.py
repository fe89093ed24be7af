"""Timers: durable rows that say when a Work becomes eligible again (C-106)."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.clock import Millis
from bot.ids import EventId, TimerId, WorkId


class TimerKind(enum.Enum):
    """What a timer is for."""

    RETRY = "retry"


@dataclass(frozen=True, kw_only=True)
class Timer:
    """
    An armed timer.

    ``generation`` is the number of the attempt whose failure armed it, ``cause`` the event that had
    triggered that attempt.
    """

    id: TimerId
    work: WorkId
    kind: TimerKind
    due_at: Millis
    generation: int
    cause: EventId
