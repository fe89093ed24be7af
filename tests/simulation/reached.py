"""What a committed change shows to have been reached."""

from __future__ import annotations

from collections.abc import Iterator

from bot.storage.sql import Row
from tests.simulation.audit import Step
from tests.simulation.history import History
from tests.simulation.snapshot import segments

_HOLDS = {
    "open": "hold",
    "admitted": "approval",
    "refused": "refusal",
    "stale": "stale decision",
    "released": "released",
    "ended": "ended hold",
}
_NAMED = (
    ("works", "state", {"cancelled": "cancelled", "exhausted": "exhausted"}),
    ("executions", "outcome", {"deferred": "deferred", "interrupted": "interrupted"}),
    ("executions", "phase", {"parked": "parked"}),
)


def note(step: Step, history: History) -> None:
    """Count what is new in a change."""
    for name in _found(step):
        history.reach(name)


def _found(step: Step) -> Iterator[str]:
    for hold in _turned(step, "holds", "state"):
        yield f"{hold['kind']} hold" if hold["state"] == "open" and hold["kind"] != "gate" else _HOLDS[hold["state"]]
    for rows, column, names in _NAMED:
        yield from (names[row[column]] for row in _turned(step, rows, column) if row[column] in names)
    for work in _turned(step, "works", "pull_request"):
        yield from ["published"] if work["pull_request"] is not None else []
    for row in _turned(step, "executions", "epoch"):
        yield from ["relaunched"] if segments(row["segments"]).kept[-1].relaunched else []
    yield from ("account paused" for _ in _turned(step, "accounts", "released_at"))
    yield from ["raised"] * (len(step.after.raises) - len(step.before.raises))
    yield from ["retry"] * (len(step.after.retries) - len(step.before.retries))


def _turned(step: Step, rows: str, column: str) -> Iterator[Row]:
    """Yield the rows of a kind that are new, or have another value in a column than before."""
    before = getattr(step.before, rows)
    for identity, row in getattr(step.after, rows).items():
        if identity not in before or before[identity][column] != row[column]:
            yield row
