"""The bot's own log, read as part of the history; a line that tells of a fault of ours is a violation."""

from __future__ import annotations

import traceback

from bot.errors import TracksideError
from tests.simulation.history import History
from tests.simulation.substitutes import LogLine

SHOWN = frozenset(
    {
        "claimed",
        "launched",
        "adopted",
        "recovered",
        "finished",
        "timed_out",
        "stopped",
        "attempt_lost",
        "attempt_interrupted",
        "pass_failed",
        "start_postponed",
        "event_not_routed",
        "stop_failed",
        "projection_parked",
        "projection_postponed",
        "note_given_up",
        "sweep_failed",
    }
)
_OUTCOMES = {"failed", "waiting", "completed"}


def told(line: LogLine, actor: str, history: History, violations: list[str]) -> None:
    """Take one line of the log."""
    event = line["event"]
    error = line.get("exc_info")
    if isinstance(error, Exception) and not isinstance(error, TracksideError):
        where = traceback.extract_tb(error.__traceback__)[-1]
        violations.append(
            f"nothing_fails_within: {event}: {type(error).__name__}: {error} at {where.name} line {where.lineno}"
        )
    if event not in SHOWN:
        return
    about = " ".join(
        f"{name}={line[name]}"
        for name in ("work", "execution", "epoch", "outcome", "status", "note", "reason", "item")
        if line.get(name)
    )
    if isinstance(error, Exception):
        about = f"{about} {error}"
    history.tell(actor, f"{event} {about}")
    history.reach(f"finished {line['outcome']}" if event == "finished" and line["outcome"] in _OUTCOMES else event)
