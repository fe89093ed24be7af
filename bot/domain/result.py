"""What an executor is asked to do, and what it answers."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from bot.clock import DAY, MINUTE, Millis
from bot.domain.retry import RetryHint
from bot.domain.turn import Turn
from bot.domain.usage import check_units
from bot.domain.wait import Awaited, Suspension
from bot.ids import EventId, ExecutionId, WorkId

SHORTEST_DEFERRAL = MINUTE
"""How soon a deferred attempt is tried again at the earliest."""
LONGEST_DEFERRAL = 366 * DAY
"""How late at the latest: a time beyond that is nonsense, and could neither be stored nor shown."""


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
    DEFERRED = "deferred"
    """The attempt could not go on through no fault of its own; it is tried again and counts as nothing."""
    INTERRUPTED = "interrupted"
    """A person stopped the attempt; the Work is ready again (C-140)."""
    CANCELLED = "cancelled"
    """The Work was cancelled while the attempt was live."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """
    One launch of one attempt, complete: an executor needs nothing else.

    ``key`` names the launch: running the same key twice is one run. ``config`` is the executor's own
    pinned config. Times are milliseconds. ``environment`` is never stored (C-26). ``allowance`` is how much the run may
    use, by unit, where budgets say: a limit for executors that can stop at it. ``session`` is where a run that stopped
    inside its turn is to go on; empty for any other launch. ``timeout`` is what is left of its time.
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
    allowance: Mapping[str, float] = field(default_factory=dict)
    session: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Deferral:
    """
    Why an attempt could not go on through no fault of its own, and when to try again.

    ``until`` None means when its ``account``'s credentials change; a deferral without either waits for a person. An
    ``account`` is paused for all Work that uses it.
    """

    reason: str
    until: Millis | None = None
    account: str | None = None

    def due(self, now: Millis) -> Millis | None:
        """
        Return when to try again, at the earliest a minute from ``now``, and at the latest a year.

        Deferrals are not counted, so that nothing else would bound an executor that names a time that is past.
        """
        return (
            None
            if self.until is None
            else Millis(min(max(self.until, now + SHORTEST_DEFERRAL), now + LONGEST_DEFERRAL))
        )


@dataclass(frozen=True, kw_only=True)
class Result:
    """
    A structured end of a run, or of a stretch of it.

    ``ok`` is whether the program ended well. ``permanent`` marks a failure that trying again cannot cure (C-114),
    ``hint`` says when trying again makes sense (C-110). ``units`` is what this stretch used, by unit. ``consumed``
    names input that the run took in while it ran (C-139). With a ``deferral`` the attempt counts as nothing; with a
    ``suspension`` the run has stopped inside its turn and is resumed later. Raises ``ValueError`` for a unit of the
    wrong shape, a reserved one, or an amount that is negative or not finite (C-167), and for a result that is several
    of failed, deferred and suspended at once.
    """

    ok: bool
    summary: str = ""
    turn: Turn | None = None
    permanent: bool = False
    hint: RetryHint | None = None
    units: Mapping[str, float] = field(default_factory=dict)
    consumed: tuple[EventId, ...] = ()
    deferral: Deferral | None = None
    suspension: Suspension | None = None
    session: str | None = None

    def __post_init__(self) -> None:
        check_units(self.units)
        if self.suspension is not None and (not self.ok or self.deferral is not None):
            raise ValueError("a run that is suspended has neither failed nor been deferred")
        if self.deferral is not None and (self.permanent or self.hint is not None):
            raise ValueError("a run that is deferred has not failed: it takes no hint, and is not permanent")

    def to_document(self) -> dict[str, object]:
        """Return the JSON form. A suspension is never part of it: it is stored with the parked attempt."""
        return {
            "version": 1,
            "ok": self.ok,
            "summary": self.summary,
            "turn": None if self.turn is None else self.turn.to_document(),
            "permanent": self.permanent,
            "hint": None if self.hint is None else {"reset_at": self.hint.reset_at},
            "units": dict(self.units),
            "consumed": list(self.consumed),
            "deferral": None if self.deferral is None else asdict(self.deferral),
            "session": self.session,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Result:
        """Read the JSON form. Raises ``ValueError`` for an unknown version."""
        if document.get("version") != 1:
            raise ValueError("a result of an unknown version")
        turn, hint, deferral = document["turn"], document.get("hint"), document.get("deferral")
        return Result(
            ok=document["ok"],
            summary=document["summary"],
            turn=None if turn is None else Turn.from_document(turn),
            permanent=document["permanent"],
            hint=None if hint is None else RetryHint(**hint),
            units=document["units"],
            consumed=tuple(document.get("consumed", ())),
            deferral=None if deferral is None else Deferral(**deferral),
            session=document["session"],
        )


@dataclass(frozen=True, kw_only=True)
class Ending:
    """
    What an attempt's end means for its Work, in the scheduler's words.

    ``status`` and ``comment`` are the playbook's. ``awaited`` is what wakes a Work that waits. Raises ``ValueError``
    for an end that waits for nothing (C-105), and for one that is deferred without saying why.
    """

    outcome: Outcome
    status: str | None = None
    comment: str = ""
    awaited: Awaited | None = None
    summary: str = ""
    permanent: bool = False
    hint: RetryHint | None = None
    deferral: Deferral | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.WAITING) != (self.awaited is not None):
            raise ValueError("an attempt that ends waiting says what for, and no other does")
        if (self.outcome is Outcome.DEFERRED) != (self.deferral is not None):
            raise ValueError("an attempt that is deferred says why, and no other does")
