"""The folded log of what was tried: one line for each attempt that has ended, the newest first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from bot.clock import MINUTE
from bot.domain.result import Outcome
from bot.views.thread import AttemptView
from projectors.figures import amount, count, duration
from projectors.fold import fold
from projectors.moments import Words
from projectors.size import size

MOST = 20
"""How many attempts are listed."""
_REST = 60
"""The size of the line that says how many are not."""
_WORDS = {
    Outcome.COMPLETED: "ended well",
    Outcome.WAITING: "ended well",
    Outcome.HANDOFF: "ended well",
    Outcome.FAILED: "failed",
    Outcome.DEFERRED: "put off, and not counted",
    Outcome.INTERRUPTED: "stopped by a person",
    Outcome.CANCELLED: "cancelled",
}
_EXPLAINED = frozenset({Outcome.FAILED, Outcome.DEFERRED})
"""Outcomes of which people want to know why; what an attempt says that ended well stands in the comment itself."""


def turn_log(log: Sequence[AttemptView], words: Words, *, room: int) -> str:
    """Return the fold, of at most ``room`` (see ``projectors.size``); empty when nothing has ended, or nothing fits."""
    lines: list[str] = []
    left = room - _REST - size(fold("Attempts, newest first", ""))
    for attempt in list(reversed(log))[:MOST]:
        line = f"- {' · '.join(_facts(attempt, words))}"
        left -= size(line) + 2
        if left < 0:
            break
        lines.append(line)
    rest = len(log) - len(lines)
    if lines and rest:
        lines.append(f"- {count(rest, 'earlier attempt')} not shown")
    return fold("Attempts, newest first", "\n".join(lines)) if lines else ""


def _facts(attempt: AttemptView, words: Words) -> Iterator[str]:
    yield f"Attempt {attempt.number}"
    said = f", {words.code(attempt.status)}" if attempt.status and attempt.outcome is not Outcome.FAILED else ""
    yield f"{_WORDS[attempt.outcome]}{said}"
    took = max(math.ceil((attempt.ended_at - attempt.started_at) / MINUTE), 1)
    yield f"{words.time(attempt.started_at)}, {duration(took)}"
    for unit in sorted(attempt.units):
        if attempt.units[unit]:
            yield amount(attempt.units[unit], unit)
    if attempt.outcome in _EXPLAINED and (reason := words.line(attempt.reason)):
        yield reason
