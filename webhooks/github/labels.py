"""``label``: a label of the repository was renamed or deleted."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.github.repository_payloads import LabelPayload
from webhooks.repository_facts import LabelFact

ACTIONS = frozenset({"edited", "deleted"})


def read(action: str, payload: Mapping[str, object], delivery: str) -> tuple[LabelFact, ...]:
    """Return what became of a label's name; another colour is no fact. Raises pydantic's ``ValidationError``."""
    if action not in ACTIONS:
        return ()
    seen = LabelPayload.model_validate(payload)
    repository, name = seen.repository.ref(), seen.label.name
    if action == "deleted":
        return (LabelFact(repository=repository, before=name, name=None, delivery=delivery),)
    before = seen.changes.name
    if before is None or before.before == name:
        return ()
    return (LabelFact(repository=repository, before=before.before, name=name, delivery=delivery),)
