"""Attempts: one at a time, in the hands of one host, and never changed after their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bot.storage.sql import Row
from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import FINAL

HELD = ("phase", "segments", "recovery", "result", "publish_tries", "outcome", "lease_until", "next_at")
"""What only the holder of an attempt may change."""


def one_live_attempt(step: Step) -> Iterator[str]:
    """At most one live attempt per Work."""
    for work, count in Counter(row["work"] for row in step.after.live).items():
        if count > 1:
            yield f"{work} has {count} live attempts"


def running_means_live(step: Step) -> Iterator[str]:
    """Ensure that a Work is running exactly while it has a live attempt."""
    live = {row["work"] for row in step.after.live if row["phase"] != "parked"}
    for work in step.after.works.values():
        running = work["state"] == "running"
        if running != (work["id"] in live):
            yield f"{work['id']} is {work['state']}, and has {'a' if work['id'] in live else 'no'} live attempt"


def epochs_only_grow(step: Step) -> Iterator[str]:
    """Ensure that an epoch grows by one, and only by a change of hands."""
    for before, after in _pairs(step):
        if after["epoch"] not in {before["epoch"], before["epoch"] + 1}:
            yield f"{after['id']} went from epoch {before['epoch']} to {after['epoch']}"


def no_stale_epoch_writes(step: Step) -> Iterator[str]:
    """Only who holds an attempt changes it; others may take it over, or end it because a person says so."""
    for before, after in _pairs(step):
        if before["phase"] == "finished" or before["owner"] == step.writer or after["epoch"] > before["epoch"]:
            continue
        if after["outcome"] == "cancelled" and step.after.works[after["work"]]["state"] in FINAL:
            continue
        if after["outcome"] == "interrupted":
            continue
        changed = [name for name in HELD if before[name] != after[name]]
        if changed:
            yield f"{step.writer} changed {', '.join(changed)} of {after['id']}, which {before['owner']} holds"


def the_finished_stays(step: Step) -> Iterator[str]:
    """Ensure that a finished attempt changes in one way only: its slot is freed."""
    for before, after in _pairs(step):
        if before["phase"] != "finished":
            continue
        changed = [name for name, value in before.items() if name != "slot" and after[name] != value]
        if changed or after["slot"] > before["slot"]:
            yield f"{after['id']} has finished, and its {', '.join(changed) or 'slot'} changed"


def unfinished_has_its_slot(step: Step) -> Iterator[str]:
    """Ensure that what is not finished counts against capacity, unless it is parked."""
    for row in step.after.live:
        if bool(row["slot"]) == (row["phase"] == "parked"):
            yield f"{row['id']} is {row['phase']} and holds {'a' if row['slot'] else 'no'} slot"


def _pairs(step: Step) -> Iterator[tuple[Row, Row]]:
    for identity, before in step.before.executions.items():
        after = step.after.executions.get(identity)
        if after is not None and after != before:
            yield before, after


ALL: tuple[Check, ...] = (
    one_live_attempt,
    running_means_live,
    epochs_only_grow,
    no_stale_epoch_writes,
    the_finished_stays,
    unfinished_has_its_slot,
)
