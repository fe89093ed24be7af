"""Runs on the machine: none without its attempt's slot, and never two for one Work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import segments


def every_run_has_its_slot(step: Step) -> Iterator[str]:
    """Ensure that a run that goes on belongs to an attempt that holds its slot."""
    for run in step.facts.machine.alive():
        row = step.after.executions.get(run.execution)
        if row is None or not row["slot"]:
            yield f"the run {run.key} goes on, and its attempt holds no slot"


def one_run_of_an_attempt(step: Step) -> Iterator[str]:
    """Ensure that an attempt is run once for each claim: recovery adopts, and never runs it again."""
    for execution, count in Counter(run.execution for run in step.facts.machine.runs).items():
        row = step.after.executions.get(execution)
        claims = 0 if row is None else sum(not each.recovered for each in segments(row["segments"]).kept)
        if count > claims:
            yield f"{execution} was run {count} times, and claimed {claims} times"


def one_run_of_a_work(step: Step) -> Iterator[str]:
    """No two runs of one Work go on at once."""
    for work, count in Counter(run.work for run in step.facts.machine.alive()).items():
        if count > 1:
            yield f"{count} runs of {work} go on"


ALL: tuple[Check, ...] = (every_run_has_its_slot, one_run_of_an_attempt, one_run_of_a_work)
