"""
Whether a host gets on.

Being alive is making progress: a process that answers, with a loop that does not turn any more, is dead (gh-Z-05,
gh-Z-20). What is told here is read from the memory of this process alone; whether the database can be read is asked
beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.clock import SECOND, Millis


@dataclass(frozen=True, kw_only=True)
class PassHealth:
    """A pass: when it last came to its end without a failure, whether it runs now, and whether it failed since."""

    name: str
    ran_at: Millis | None
    running: bool
    failing: bool


@dataclass(frozen=True, kw_only=True)
class LoopHealth:
    """
    A loop since its start.

    ``turned_at`` is when its last turn ended; it may take ``patience`` milliseconds for the next.
    """

    passes: tuple[PassHealth, ...]
    since: Millis
    turned_at: Millis | None
    patience: int

    def turns(self, now: Millis) -> bool:
        """Whether it still comes to the end of its turns."""
        return now - (self.since if self.turned_at is None else self.turned_at) <= self.patience

    def works(self, each: PassHealth, now: Millis) -> bool:
        """Whether one of its passes has come to its end lately."""
        return now - (self.since if each.ran_at is None else each.ran_at) <= self.patience


@dataclass(frozen=True, kw_only=True)
class Health:
    """All loops of a host at one moment."""

    loops: Sequence[LoopHealth]
    now: Millis

    @property
    def alive(self) -> bool:
        """Whether every loop turns. When one does not, nothing but a new process helps."""
        return all(loop.turns(self.now) for loop in self.loops)

    @property
    def stuck(self) -> tuple[str, ...]:
        """The passes that have not come to their end for too long, because they hang, or fail again and again."""
        return tuple(each.name for loop in self.loops for each in loop.passes if not loop.works(each, self.now))

    def to_document(self) -> dict[str, object]:
        """Return what people are shown of each pass."""
        return {
            each.name: {
                "last_ran": None if each.ran_at is None else _moment(each.ran_at),
                "running": each.running,
                "failing": each.failing,
                "stuck": not loop.works(each, self.now),
            }
            for loop in self.loops
            for each in loop.passes
        }


def _moment(at: Millis) -> str:
    return datetime.fromtimestamp(at / SECOND, tz=UTC).isoformat(timespec="seconds")
