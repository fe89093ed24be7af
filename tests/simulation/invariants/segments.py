"""Segments: the stretches of an attempt join without a gap, and sum to the time that it took."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from bot.storage.sql import Row
from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import segments

CLOSED = frozenset({"finished", "parked"})


def segments_join(step: Step) -> Iterator[str]:
    """Ensure that a recovered segment begins where the one before ended, and only the last one at work is open."""
    for row in _changed(step):
        kept = segments(row["segments"]).kept
        for one, other in pairwise(kept):
            if one.ended_at is None or (other.recovered and one.ended_at != other.started_at):
                yield f"{row['id']} has a gap between {one.ended_at} and {other.started_at}"
        if (kept[-1].ended_at is None) != (row["phase"] not in CLOSED):
            yield f"{row['id']} is {row['phase']}, and its last segment ends at {kept[-1].ended_at}"


def segments_sum(step: Step) -> Iterator[str]:
    """While it is parked, the segments and the rest are the timeout; at its end the segments are the time it took."""
    for row in _changed(step):
        found = segments(row["segments"])
        whole = all(each.wake is None for each in found.kept)
        if row["phase"] == "parked" and found.active() + row["remaining"] != row["timeout"]:
            yield f"{row['id']} was active for {found.active()} ms, and {row['remaining']} of {row['timeout']} are left"
        took = (found.kept[-1].ended_at or 0) - row["started_at"]
        if row["phase"] == "finished" and whole and found.active() != took:
            yield f"the segments of {row['id']} sum to {found.active()} ms of {took}"


def _changed(step: Step) -> Iterator[Row]:
    for identity, row in step.after.executions.items():
        earlier = step.before.executions.get(identity)
        if earlier is None or (earlier["segments"], earlier["phase"]) != (row["segments"], row["phase"]):
            yield row


ALL: tuple[Check, ...] = (segments_join, segments_sum)
