"""Gates: no first start without an approval of that very text, and none after a refusal."""

from __future__ import annotations

from collections.abc import Iterator

from bot.clock import MINUTE
from bot.storage.sql import Row
from tests.simulation.audit import Check, Step
from tests.simulation.snapshot import document, started

TOLERANCE = 2 * MINUTE
"""For so long before a hold is placed, what people say counts as said of it: clocks differ."""


def no_first_start_without_approval(step: Step) -> Iterator[str]:
    """Ensure that the first attempt of a gated Work follows an admitted hold for the text that it runs."""
    for row in _started(step):
        work = step.before.works[row["work"]]
        if row["number"] != 1 or not step.facts.gated[work["playbook"]]:
            continue
        revision = document(step.after.works[row["work"]]["instructions"])["revision"]
        admitted = [hold["revision"] for hold in step.before.holds_of(work["id"]) if hold["state"] == "admitted"]
        if revision not in admitted:
            yield f"{work['id']} starts with text {revision}, of which nothing was admitted"
        if not any(
            decision["verb"] == "approve" and decision["revision"] == revision
            for decision in step.before.decisions.values()
            if step.before.holds[decision["hold"]]["work"] == work["id"]
        ):
            yield f"{work['id']} starts with text {revision}, which nobody approved"


def nothing_starts_while_held(step: Step) -> Iterator[str]:
    """Nothing starts under an open hold, nor after a refusal."""
    for row in _started(step):
        bad = [hold for hold in step.after.holds_of(row["work"]) if hold["state"] in {"open", "refused"}]
        if bad:
            yield f"{row['work']} starts, and its hold {bad[0]['id']} is {bad[0]['state']}"


def a_pass_is_used_once(step: Step) -> Iterator[str]:
    """Ensure that a start uses up the pass."""
    for row in _started(step):
        if step.after.works[row["work"]]["gate_pass"] is not None:
            yield f"{row['work']} started, and its pass is left"


def a_pass_has_its_approval(step: Step) -> Iterator[str]:
    """Ensure that a pass is that of a hold that was admitted."""
    for work in step.after.works.values():
        passed = work["gate_pass"]
        if passed is None:
            continue
        if not any(
            hold["state"] == "admitted" and hold["revision"] == passed for hold in step.after.holds_of(work["id"])
        ):
            yield f"{work['id']} has a pass for {passed}, of which nothing was admitted"


def what_was_admitted_is_not_asked_again(step: Step) -> Iterator[str]:
    """After an approval the next hold is about another text."""
    for identity, hold in step.after.holds.items():
        earlier = step.before.holds_of(hold["work"])
        if identity in step.before.holds or not earlier:
            continue
        newest = max(earlier, key=lambda each: each["place"])
        if newest["state"] == "admitted" and newest["revision"] == hold["revision"]:
            yield f"{hold['work']} was admitted with {hold['revision']}, and is asked again"


def a_refusal_ends_the_work(step: Step) -> Iterator[str]:
    """Refused Work is cancelled."""
    for hold in step.after.holds.values():
        state = step.after.works[hold["work"]]["state"]
        if hold["state"] == "refused" and state != "cancelled":
            yield f"{hold['work']} was refused, and is {state}"


def only_those_who_may_decide(step: Step) -> Iterator[str]:
    """Ensure that a decision that counts is that of someone who may decide, other than who started it."""
    for decision in _decided(step):
        work = step.after.works[step.after.holds[decision["hold"]]["work"]]
        if decision["login"] not in step.facts.may_decide:
            yield f"{decision['login']} decided on {work['id']}"
        if decision["verb"] == "approve" and document(work["starter"])["id"] == decision["person"]:
            yield f"{decision['login']} started {work['id']}, and approved it"


def decisions_are_about_what_was_seen(step: Step) -> Iterator[str]:
    """Ensure that a decision is bound to the text that the person saw, and counts for a hold on that text only."""
    for decision in _decided(step):
        hold = step.after.holds[decision["hold"]]
        if decision["revision"] != hold["revision"]:
            yield f"{decision['source']} is about {decision['revision']}, and its hold about {hold['revision']}"
        seen = step.facts.decided.get(decision["source"])
        if seen is None:
            yield f"nobody said {decision['source']}"
        elif seen.revision != decision["revision"] and seen.at + TOLERANCE < hold["placed_at"]:
            yield f"{decision['source']} was said of {seen.revision}, and counts for {decision['revision']}"


def _started(step: Step) -> Iterator[Row]:
    return started(step.before, step.after)


def _decided(step: Step) -> Iterator[Row]:
    return (row for source, row in step.after.decisions.items() if source not in step.before.decisions)


ALL: tuple[Check, ...] = (
    no_first_start_without_approval,
    nothing_starts_while_held,
    a_pass_is_used_once,
    a_pass_has_its_approval,
    what_was_admitted_is_not_asked_again,
    a_refusal_ends_the_work,
    only_those_who_may_decide,
    decisions_are_about_what_was_seen,
)
