"""``installation``, ``installation_repositories``, ``repository``: what the bot can reach, and what not any more."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.access_facts import AccessFact, Lost
from webhooks.github.code_payloads import AddedPayload, InstallationPayload, RemovedPayload, RepositoryPayload
from webhooks.reach import ReachFact
from webhooks.repository_facts import MovedFact

ENDS = {"deleted": Lost.UNINSTALLED, "suspend": Lost.SUSPENDED}
BEGINNINGS = frozenset({"created", "unsuspend", "new_permissions_accepted"})
"""Actions on an installation after which the bot may do more than before."""
OPENINGS = frozenset({"unarchived", "transferred"})
"""Actions on a repository after which the bot may be allowed to write there."""
MOVES = frozenset({"renamed", "transferred"})
"""Actions on a repository after which it is called otherwise."""


def read_installation(action: str, payload: Mapping[str, object], delivery: str) -> tuple[AccessFact | ReachFact, ...]:
    """
    Return the loss or gain of all that an account has. Raises pydantic's ``ValidationError``.

    The list of repositories in the payload is not read: it may be very long, and a suspension has none.
    """
    if action not in ENDS and action not in BEGINNINGS:
        return ()
    owner = InstallationPayload.model_validate(payload).installation.account.id
    if action in BEGINNINGS:
        return (ReachFact(owner=owner, repositories=(), delivery=delivery),)
    return (AccessFact(lost=ENDS[action], owner=owner, repositories=(), delivery=delivery),)


def read_repositories(action: str, payload: Mapping[str, object], delivery: str) -> tuple[AccessFact | ReachFact, ...]:
    """Return the loss or gain of some repositories. Raises pydantic's ``ValidationError``."""
    if action == "added":
        gained = AddedPayload.model_validate(payload)
        added = tuple(repository.id for repository in gained.repositories_added)
        owner = gained.installation.account.id
        return (ReachFact(owner=owner, repositories=added, delivery=delivery),) if added else ()
    if action != "removed":
        return ()
    seen = RemovedPayload.model_validate(payload)
    removed = tuple(repository.id for repository in seen.repositories_removed)
    if not removed:
        return ()
    owner = seen.installation.account.id
    return (AccessFact(lost=Lost.REMOVED, owner=owner, repositories=removed, delivery=delivery),)


def read_repository(
    action: str, payload: Mapping[str, object], delivery: str
) -> tuple[AccessFact | ReachFact | MovedFact, ...]:
    """Return the loss, the new name or the opening of a repository. Raises pydantic's ``ValidationError``."""
    if action != "deleted" and action not in OPENINGS | MOVES:
        return ()
    seen = RepositoryPayload.model_validate(payload).repository
    if action in OPENINGS | MOVES:
        moved = (MovedFact(repository=seen.ref(), delivery=delivery),) if action in MOVES else ()
        opened = (ReachFact(owner=seen.owner.id, repositories=(seen.id,), delivery=delivery),)
        return (*moved, *(opened if action in OPENINGS else ()))
    return (AccessFact(lost=Lost.DELETED, owner=seen.owner.id, repositories=(seen.id,), delivery=delivery),)
