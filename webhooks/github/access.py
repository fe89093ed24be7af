"""``installation``, ``installation_repositories``, ``repository``: what the bot cannot reach any more."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.access_facts import AccessFact, Lost
from webhooks.github.code_payloads import InstallationPayload, RemovedPayload, RepositoryPayload

ENDS = {"deleted": Lost.UNINSTALLED, "suspend": Lost.SUSPENDED}


def read_installation(action: str, payload: Mapping[str, object], delivery: str) -> tuple[AccessFact, ...]:
    """
    Return the loss of all that an account has. Raises pydantic's ``ValidationError``.

    The list of repositories in the payload is not read: it may be very long, and a suspension has none.
    """
    if action not in ENDS:
        return ()
    owner = InstallationPayload.model_validate(payload).installation.account.id
    return (AccessFact(lost=ENDS[action], owner=owner, repositories=(), delivery=delivery),)


def read_repositories(action: str, payload: Mapping[str, object], delivery: str) -> tuple[AccessFact, ...]:
    """Return the loss of some repositories. Raises pydantic's ``ValidationError``."""
    if action != "removed":
        return ()
    seen = RemovedPayload.model_validate(payload)
    removed = tuple(repository.id for repository in seen.repositories_removed)
    if not removed:
        return ()
    owner = seen.installation.account.id
    return (AccessFact(lost=Lost.REMOVED, owner=owner, repositories=removed, delivery=delivery),)


def read_repository(action: str, payload: Mapping[str, object], delivery: str) -> tuple[AccessFact, ...]:
    """Return the loss of a repository that was deleted. Raises pydantic's ``ValidationError``."""
    if action != "deleted":
        return ()
    seen = RepositoryPayload.model_validate(payload).repository
    return (AccessFact(lost=Lost.DELETED, owner=seen.owner.id, repositories=(seen.id,), delivery=delivery),)
