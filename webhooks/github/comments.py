"""``issue_comment``: comments in the thread of an issue or a pull request, new, rewritten and deleted."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.facts import CommentFact
from webhooks.github.payloads import CommentPayload, person
from webhooks.vote_facts import CommentDeletedFact

ACTIONS = frozenset({"created", "edited", "deleted"})


def read(action: str, payload: Mapping[str, object], _delivery: str) -> tuple[CommentFact | CommentDeletedFact, ...]:
    """Return the comment. Raises pydantic's ``ValidationError``."""
    if action not in ACTIONS:
        return ()
    seen = CommentPayload.model_validate(payload)
    if action == "deleted":
        gone = CommentDeletedFact(
            repository=seen.repository.ref(), number=seen.issue.number, comment_id=seen.comment.id
        )
        return (gone,)
    edited = action == "edited"
    before = seen.changes.body if edited else None
    fact = CommentFact(
        repository=seen.repository.ref(),
        number=seen.issue.number,
        comment_id=seen.comment.id,
        author=person(seen.comment.user),
        body=seen.comment.body,
        created_at=seen.comment.created_at,
        version=seen.comment.updated_at,
        edited=edited,
        previous_body=None if before is None else before.before,
        on_pull_request=seen.issue.pull_request is not None,
    )
    return (fact,)
