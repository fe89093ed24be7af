"""
``pull_request``: what became of it, and that the item must be read again.

Both, because a fact of the same action on the same head is accepted once only, while a pull request may be
closed, reopened and closed again without a commit in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from webhooks.facts import PullAction, PullRequestFact, Wake
from webhooks.github.payloads import LinePayload, PullPayload, PullWakePayload, person

ACTIONS = {action.value: action for action in PullAction}
WAKES = frozenset({"edited", "labeled", "unlabeled", "converted_to_draft", "locked", "unlocked"})
"""Actions that say no more than that something changed."""
DISCUSSION = frozenset({"created", "edited", "deleted", "resolved", "unresolved"})
"""Actions on comments on lines, and on the threads that they make."""


def read(action: str, payload: Mapping[str, object], delivery: str) -> tuple[PullRequestFact | Wake, ...]:
    """Return what became of the pull request, and its wake. Raises pydantic's ``ValidationError``."""
    if action in ACTIONS:
        return (_became(ACTIONS[action], payload), _wake(payload, delivery))
    return (_wake(payload, delivery),) if action in WAKES else ()


def read_discussion(action: str, payload: Mapping[str, object], delivery: str) -> tuple[Wake, ...]:
    """Return the wake of a pull request whose lines are discussed. Raises pydantic's ``ValidationError``."""
    return (_wake(payload, delivery),) if action in DISCUSSION else ()


def read_line(action: str, payload: Mapping[str, object], delivery: str) -> tuple[Wake, ...]:
    """
    Return the wake of a pull request of which a line was commented on. Raises pydantic's ``ValidationError``.

    The comment is read with its review, which is named when it is new.
    """
    wakes = read_discussion(action, payload, delivery)
    if action != "created":
        return wakes
    review = LinePayload.model_validate(payload).comment.pull_request_review_id
    return tuple(replace(wake, review=review) for wake in wakes)


def _became(action: PullAction, payload: Mapping[str, object]) -> PullRequestFact:
    seen = PullPayload.model_validate(payload)
    pull = seen.pull_request
    return PullRequestFact(
        repository=seen.repository.ref(),
        number=pull.number,
        action=action,
        head_ref=pull.head.ref,
        head_sha=pull.head.sha,
        base_ref=pull.base.ref,
        author=person(pull.user),
        merged=pull.merged,
        open=pull.state == "open",
        from_fork=pull.head.from_fork(seen.repository),
        sender=seen.sender.person(),
    )


def _wake(payload: Mapping[str, object], delivery: str) -> Wake:
    seen = PullWakePayload.model_validate(payload)
    head = seen.pull_request.head
    return Wake(
        repository=seen.repository.ref(),
        number=seen.pull_request.number,
        delivery=delivery,
        branch=None if head.from_fork(seen.repository) else head.ref,
    )
