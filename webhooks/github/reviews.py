"""``pull_request_review``: reviews, with the commit that they were given on as it was then (gh-A-08)."""

from __future__ import annotations

from collections.abc import Mapping

from bot.trackers.contract import Verdict
from webhooks.facts import ReviewAction, ReviewFact
from webhooks.github.payloads import ReviewPayload, person

ACTIONS = {action.value: action for action in ReviewAction}


def read(action: str, payload: Mapping[str, object], _delivery: str) -> tuple[ReviewFact, ...]:
    """Return the review. Raises pydantic's ``ValidationError``."""
    if action not in ACTIONS:
        return ()
    seen = ReviewPayload.model_validate(payload)
    head = seen.pull_request.head
    fact = ReviewFact(
        repository=seen.repository.ref(),
        number=seen.pull_request.number,
        review_id=seen.review.id,
        action=ACTIONS[action],
        author=person(seen.review.user),
        state=Verdict(seen.review.state),
        body=seen.review.body or "",
        commit=seen.review.commit_id,
        submitted_at=seen.review.submitted_at,
        head_ref=head.ref,
        head_sha=head.sha,
        from_fork=head.from_fork(seen.repository),
    )
    return (fact,)
