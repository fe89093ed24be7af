"""
Controls: what is sent to a run while it runs, as durable intents.

::

    PENDING ──claim──▶ DISPATCHED ──▶ ACCEPTED ──result──▶ CONSUMED
       ▲                   │ ├──────▶ NOT_ACCEPTING
       └──no clear answer──┘ └──────▶ QUEUED, DROPPED         any ──▶ STALE, CONSUMED

A dispatch carries a token under a short lease; only its holder can say what came of it (C-130). An intent is for one
attempt at one epoch, and for nothing else ever (C-136).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.clock import Millis
from bot.ids import ControlId, EventId, ExecutionId, WorkId


class ControlKind(enum.Enum):
    """What is asked of the run."""

    INJECT = "inject"
    """To take further input."""
    INTERRUPT = "interrupt"
    """To stop its turn; a request, and no evidence that it did (C-142)."""


class ControlState(enum.Enum):
    """Where an intent stands; it is open while it is PENDING or DISPATCHED."""

    PENDING = "pending"
    """To be sent when its attempt runs and ``next_at`` is due (C-138)."""
    DISPATCHED = "dispatched"
    """Being sent, under the token; after the lease nobody knows whether it arrived."""
    ACCEPTED = "accepted"
    """The run has it. Input stays pending until the run says that it took it up (C-133)."""
    NOT_ACCEPTING = "not_accepting"
    """The run takes nothing now; the input stays pending (C-137)."""
    CONSUMED = "consumed"
    """The run's result says that it took the input up (C-139)."""
    QUEUED = "queued"
    """It could not be sent, and is left for the next attempt (C-135)."""
    DROPPED = "dropped"
    """It could not be sent, and is not sent again (C-135)."""
    STALE = "stale"
    """Its attempt has ended, or runs at another epoch (C-136)."""

    @property
    def open(self) -> bool:
        """Whether it may still be sent."""
        return self in {ControlState.PENDING, ControlState.DISPATCHED}


@dataclass(frozen=True, kw_only=True)
class Control:
    """
    An intent.

    ``seq`` is the acceptance number of the event behind it: of the input, or of the command. ``lease_until`` is the end
    of the dispatch's lease. ``note`` is a code, never a text that an executor or its provider wrote (C-135).
    """

    id: ControlId
    work: WorkId
    execution: ExecutionId
    epoch: int
    kind: ControlKind
    seq: int
    state: ControlState = ControlState.PENDING
    token: str = ""
    lease_until: Millis = Millis(0)
    tries: int = 0
    next_at: Millis = Millis(0)
    note: str = ""
    created_at: Millis
    settled_at: Millis | None = None


@dataclass(frozen=True, kw_only=True)
class Injection:
    """
    Input on its way into a run.

    ``key`` is the same each time that it is sent, so that a run which has it already can tell (C-134).
    """

    key: str
    event: EventId
    kind: str
    author: str
    body: str


class Answer(enum.Enum):
    """What a run said to a control."""

    ACCEPTED = "accepted"
    NOT_ACCEPTING = "not accepting"
    FAILED = "failed"
    """Nobody knows whether it arrived; the same is sent again."""
    IMPOSSIBLE = "impossible"
    """It did not arrive, and never will."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer; ``code`` is a word for history."""

    answer: Answer
    code: str = ""
