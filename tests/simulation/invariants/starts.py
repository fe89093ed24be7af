"""What keeps a start back beside gates and budgets: accounts that are paused, and brakes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import document, started

MOST_STARTS = 5
"""Starts of one Work within a day without any progress."""


def nothing_starts_on_a_paused_account(step: Step) -> Iterator[str]:
    """Nothing starts on an account whose pause has not ended."""
    for row in started(step.before, step.after):
        pause = step.before.accounts.get(row["account"] or "")
        if pause is not None and pause["released_at"] is None:
            yield f"{row['id']} starts, and its account {pause['name']} is paused"


def a_deferral_counts_nothing(step: Step) -> Iterator[str]:
    """Ensure that an attempt that was deferred is no failure of its Work."""
    for identity, row in step.after.executions.items():
        earlier = step.before.executions.get(identity)
        if row["outcome"] != "deferred" or earlier is None or earlier["outcome"] is not None:
            continue
        before, after = step.before.works[row["work"]]["failures"], step.after.works[row["work"]]["failures"]
        if before != after:
            yield f"{identity} was deferred, and its Work went from {before} to {after} failures"


def brakes_hold(step: Step) -> Iterator[str]:
    """No Work starts again and again without getting anywhere."""
    for row in started(step.before, step.after):
        starts = document(step.after.works[row["work"]]["brake"]).get("starts", ())
        if len(starts) > MOST_STARTS:
            yield f"{row['work']} has started {len(starts)} times without progress"


def a_suspended_run_is_parked_once(step: Step) -> Iterator[str]:
    """Ensure that what a run said when it stopped to wait is taken up once: an older stretch does not come back."""
    for identity, row in step.after.executions.items():
        earlier = step.before.executions.get(identity)
        if earlier is None or row["phase"] != "parked" or earlier["phase"] == "parked":
            continue
        if earlier["suspended"] is not None and earlier["suspended"] == row["suspended"]:
            yield f"{identity} is parked again by the stretch that parked it before"


ALL: tuple[Check, ...] = (
    nothing_starts_on_a_paused_account,
    a_deferral_counts_nothing,
    brakes_hold,
    a_suspended_run_is_parked_once,
)
