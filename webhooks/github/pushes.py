"""``push``: a branch or a tag moved, came to be or was deleted."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.code_facts import PushFact
from webhooks.github.code_payloads import PushPayload


def read(_action: str, payload: Mapping[str, object], _delivery: str) -> tuple[PushFact, ...]:
    """Return the push. Raises pydantic's ``ValidationError``."""
    seen = PushPayload.model_validate(payload)
    fact = PushFact(
        repository=seen.repository.ref(),
        ref=seen.ref,
        before=seen.before,
        after=seen.after,
        forced=seen.forced,
        deleted=seen.deleted,
        sender=seen.sender.person(),
    )
    return (fact,)
