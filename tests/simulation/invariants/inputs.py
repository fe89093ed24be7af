"""Input: none is lost, none is taken up twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import FINAL

WELL = frozenset({"completed", "waiting", "handoff"})
"""Outcomes of attempts that have done with their input."""


def no_input_is_used_twice(step: Step) -> Iterator[str]:
    """No input is consumed by two attempts that ended well."""
    users: dict[tuple[str, int], list[str]] = defaultdict(list)
    for row in step.after.consumed:
        if row["outcome"] in WELL:
            users[row["work"], row["seq"]].append(row["execution"])
    for (work, seq), executions in users.items():
        if len(executions) > 1:
            yield f"input {seq} of {work} was consumed by {' and '.join(executions)}"


def no_input_is_lost(step: Step) -> Iterator[str]:
    """Input of a live Work stays, and is in nobody's hands but those of a live attempt or one that ended well."""
    there = {(row["work"], row["seq"]) for row in step.after.inputs}
    for row in step.before.inputs:
        if step.after.works[row["work"]]["state"] not in FINAL and (row["work"], row["seq"]) not in there:
            yield f"input {row['seq']} of {row['work']} is gone"
    for row in step.after.inputs:
        holder = row["execution"]
        if holder is None or step.after.works[row["work"]]["state"] in FINAL:
            continue
        outcome = step.after.executions[holder]["outcome"]
        if outcome is not None and outcome not in WELL:
            yield f"input {row['seq']} of {row['work']} was not given back by {holder}, which ended {outcome}"


def the_completed_has_none_left(step: Step) -> Iterator[str]:
    """Completed Work has no input pending."""
    for row in step.after.inputs:
        if row["execution"] is None and step.after.works[row["work"]]["state"] in FINAL:
            yield f"input {row['seq']} of {row['work']} is pending, and the Work has ended"


def completion_drops_no_input(step: Step) -> Iterator[str]:
    """No Work is completed by an attempt while input that came meanwhile is pending."""
    for row in step.before.inputs:
        earlier, work = step.before.works[row["work"]], step.after.works[row["work"]]
        completed = work["state"] == "completed" != earlier["state"] and work["ended_by"] is None
        if completed and row["execution"] is None:
            yield f"input {row['seq']} of {row['work']} was pending when it was completed"


ALL: tuple[Check, ...] = (
    no_input_is_used_twice,
    no_input_is_lost,
    the_completed_has_none_left,
    completion_drops_no_input,
)
