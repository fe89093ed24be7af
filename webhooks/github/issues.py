"""
``issues``: every action that concerns a Work says only that the item must be read again.

Two labels that are added at once come as two deliveries whose label sets both hold both labels. What was
added, by whom, stands in the item's own history, entry by entry (ag-A05).
"""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.facts import Wake
from webhooks.github.payloads import IssuesPayload

ACTIONS = frozenset(
    {
        "opened",
        "edited",
        "labeled",
        "unlabeled",
        "closed",
        "reopened",
        "transferred",
        "deleted",
        "locked",
        "unlocked",
    }
)


def read(action: str, payload: Mapping[str, object], delivery: str) -> tuple[Wake, ...]:
    """Return the wake of an issue. Raises pydantic's ``ValidationError``."""
    if action not in ACTIONS:
        return ()
    seen = IssuesPayload.model_validate(payload)
    return (Wake(repository=seen.repository.ref(), number=seen.issue.number, delivery=delivery),)
