"""What an executor is asked to do, and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.domain.turn import Turn
from bot.domain.usage import check_units
from bot.ids import ExecutionId, WorkId


class Outcome(enum.Enum):
    """How an attempt ended, as the scheduler sees it."""

    COMPLETED = "completed"
    """The Work is done."""
    WAITING = "waiting"
    """The attempt ended well; the Work waits for an event."""
    HANDOFF = "handoff"
    """The attempt ended well; the Work is ready for further input (C-102)."""
    FAILED = "failed"
    """The attempt failed; retry policy decides what comes next."""
    CANCELLED = "cancelled"
    """The Work was cancelled while the attempt was live."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """
    One launch of one attempt, complete: an executor needs nothing else.

    ``key`` names the launch: running the same key twice is one run. ``config`` is the executor's own
    pinned config. Times are milliseconds. ``environment`` is never stored (C-26).
    """

    key: str
    work: WorkId
    execution: ExecutionId
    epoch: int
    attempt: int
    executor: str
    config: Mapping[str, object]
    prompt: str
    directory: str
    timeout: int
    token: str = field(repr=False, default="")
    api: str = ""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    previous: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Result:
    """
    A structured end of a run.

    ``ok`` is whether the program ended well. ``permanent`` marks a failure that trying again cannot cure
    (C-114). ``units`` is what the run used, by unit. Raises ``ValueError`` for a unit of the wrong shape,
    a reserved one, or an amount that is negative or not finite (C-167).
    """

    ok: bool
    summary: str = ""
    turn: Turn | None = None
    permanent: bool = False
    units: Mapping[str, float] = field(default_factory=dict)
    session: str | None = None

    def __post_init__(self) -> None:
        check_units(self.units)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "version": 1,
            "ok": self.ok,
            "summary": self.summary,
            "turn": None if self.turn is None else self.turn.to_document(),
            "permanent": self.permanent,
            "units": dict(self.units),
            "session": self.session,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Result:
        """Read the JSON form. Raises ``ValueError`` for an unknown version."""
        if document.get("version") != 1:
            raise ValueError("a result of an unknown version")
        turn = document["turn"]
        return Result(
            ok=document["ok"],
            summary=document["summary"],
            turn=None if turn is None else Turn.from_document(turn),
            permanent=document["permanent"],
            units=document["units"],
            session=document["session"],
        )


@dataclass(frozen=True, kw_only=True)
class Ending:
    """
    What an attempt's end means for its Work, in the scheduler's words.

    ``status`` and ``comment`` are the playbook's; ``waits`` are the kinds of input that wake a waiting Work.
    """

    outcome: Outcome
    status: str | None = None
    comment: str = ""
    waits: tuple[str, ...] = ()
    summary: str = ""
    permanent: bool = False
