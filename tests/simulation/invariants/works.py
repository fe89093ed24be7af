"""Work: one live run of a playbook on an item, and ends that are ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import FINAL


def one_live_work(step: Step) -> Iterator[str]:
    """At most one live Work per item and playbook."""
    live = Counter((work["item"], work["playbook"]) for work in step.after.works.values() if work["state"] not in FINAL)
    for (item, playbook), count in live.items():
        if count > 1:
            yield f"{item} has {count} live Works of {playbook}"


def the_end_is_final(step: Step) -> Iterator[str]:
    """Nothing follows a final state."""
    for work in step.before.works.values():
        state = step.after.works[work["id"]]["state"]
        if work["state"] in FINAL and state != work["state"]:
            yield f"{work['id']} was {work['state']} and is {state}"


def completion_overtakes_nothing(step: Step) -> Iterator[str]:
    """No Work is completed by an attempt while an accepted event of it is not routed."""
    for work in step.after.works.values():
        earlier = step.before.works.get(work["id"])
        completed = work["state"] == "completed" and (earlier is None or earlier["state"] != "completed")
        if completed and work["ended_by"] is None and work["id"] in step.after.unrouted:
            yield f"{work['id']} is completed over an event that is not routed"


def attempts_only_grow(step: Step) -> Iterator[str]:
    """Ensure that the number of attempts never goes back, and counts them."""
    for work in step.after.works.values():
        earlier = step.before.works.get(work["id"])
        if earlier is not None and work["attempts"] < earlier["attempts"]:
            yield f"{work['id']} had {earlier['attempts']} attempts and has {work['attempts']}"
        if work["attempts"] != len(step.after.attempts_of(work["id"])):
            yield f"{work['id']} counts {work['attempts']} attempts, and has {len(step.after.attempts_of(work['id']))}"


def only_attempts_of_now_are_retried(step: Step) -> Iterator[str]:
    """Ensure that a retry that fires is that of the Work's newest attempt."""
    for key in step.after.retries:
        if key in step.before.retries:
            continue
        _, work, generation = key.split("/")
        attempts = step.before.works[work]["attempts"]
        if int(generation) != attempts:
            yield f"the retry of attempt {generation} fired for {work}, which is at attempt {attempts}"


ALL: tuple[Check, ...] = (
    one_live_work,
    the_end_is_final,
    completion_overtakes_nothing,
    attempts_only_grow,
    only_attempts_of_now_are_retried,
)
