"""
Segments: the stretches in which an attempt held a lease (C-35), and how far each launch got (C-47).

A segment is time under a lease, and no proof that a process ran (C-50).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.clock import Millis
from bot.domain.steps import LaunchPhase, LaunchStep, StepOutcome, begun, cut_off, ended
from bot.ids import EventId

MAX_SEGMENTS = 50


class Invoke(enum.Enum):
    """How far a launch got towards its executor."""

    PENDING = "pending"
    """The executor is known not to have been called."""
    CALLED = "called"
    """The executor may have started something."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """
    One stretch; ``ended_at`` is None while it is open. Times are milliseconds.

    ``wake`` is the event that resumed a suspended attempt with it; None for any other beginning (C-36). ``launch`` is
    the trail of its launch, step by step (C-43). ``sandbox`` is the digest of the sandbox's plan, once it is pinned
    (C-80).
    """

    started_at: Millis
    ended_at: Millis | None = None
    invoke: Invoke = Invoke.PENDING
    isolated: bool = False
    recovered: bool = False
    relaunched: bool = False
    wake: EventId | None = None
    launch: tuple[LaunchPhase, ...] = ()
    sandbox: str | None = None

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "started_at": self.started_at,
            "ended_at": self.ended_at,
            "invoke": self.invoke.value,
            "isolated": self.isolated,
            "recovered": self.recovered,
            "relaunched": self.relaunched,
            "wake": self.wake,
            "launch": [phase.to_document() for phase in self.launch],
            "sandbox": self.sandbox,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Segment:
        """
        Read the JSON form.

        A segment that does not say how far its launch got may have started something: it is never relaunched (C-60).
        """
        invoke = Invoke(document.get("invoke", Invoke.CALLED.value))
        launch = tuple(LaunchPhase.from_document(entry) for entry in document.get("launch", ()))
        return Segment(**{**document, "invoke": invoke, "launch": launch})


@dataclass(frozen=True, kw_only=True)
class Segments:
    """
    An attempt's segments, oldest first, and what the dropped ones sum to (C-48).

    ``dropped_time`` is in milliseconds.
    """

    kept: tuple[Segment, ...] = ()
    dropped: int = 0
    dropped_time: int = 0

    @property
    def open(self) -> Segment:
        """The open segment. Raises ``ValueError`` when none is open."""
        if not self.kept or self.kept[-1].ended_at is not None:
            raise ValueError("no segment is open")
        return self.kept[-1]

    def begin(self, segment: Segment) -> Segments:
        """Add an open segment, dropping the oldest above ``MAX_SEGMENTS``."""
        kept = (*self.kept, segment)
        if len(kept) <= MAX_SEGMENTS:
            return replace(self, kept=kept)
        first = kept[0]
        time = (first.ended_at or first.started_at) - first.started_at
        return Segments(kept=kept[1:], dropped=self.dropped + 1, dropped_time=self.dropped_time + time)

    def end(self, now: Millis) -> Segments:
        """Close the open segment, if one is open; a launch phase that was under way in it is cut off."""
        if not self.kept or self.kept[-1].ended_at is not None:
            return self
        last = self.kept[-1]
        closed = replace(last, ended_at=max(now, last.started_at), launch=cut_off(last.launch, now))
        return replace(self, kept=(*self.kept[:-1], closed))

    def mark(self, *, invoke: Invoke, isolated: bool) -> Segments:
        """Record in the open segment how far the launch got."""
        return self._open(replace(self.open, invoke=invoke, isolated=isolated))

    def pin(self, sandbox: str) -> Segments:
        """Record in the open segment the digest of the plan by which its sandbox was made (C-80)."""
        return self._open(replace(self.open, sandbox=sandbox))

    def begin_step(self, step: LaunchStep, now: Millis) -> Segments:
        """Record in the open segment that a step of its launch has begun, while there is room."""
        return self._open(replace(self.open, launch=begun(self.open.launch, step, now)))

    def end_step(self, step: LaunchStep, outcome: StepOutcome, now: Millis) -> Segments:
        """Record in the open segment how the step of this name that is under way ended, if one is."""
        return self._open(replace(self.open, launch=ended(self.open.launch, step, outcome, now)))

    def _open(self, segment: Segment) -> Segments:
        return replace(self, kept=(*self.kept[:-1], segment))

    def active(self) -> int:
        """Return the milliseconds of all ended segments."""
        return self.dropped_time + sum(s.ended_at - s.started_at for s in self.kept if s.ended_at is not None)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "version": 1,
            "kept": [segment.to_document() for segment in self.kept],
            "dropped": self.dropped,
            "dropped_time": self.dropped_time,
        }

    @staticmethod
    def from_document(document: Mapping[str, object]) -> Segments:
        """Read the JSON form. Raises ``ValueError`` for one that makes no sense."""
        kept = document.get("kept")
        if document.get("version") != 1 or not isinstance(kept, list):
            raise ValueError("segments of an unknown version")
        return Segments(
            kept=tuple(Segment.from_document(entry) for entry in kept),
            dropped=int(str(document["dropped"])),
            dropped_time=int(str(document["dropped_time"])),
        )
