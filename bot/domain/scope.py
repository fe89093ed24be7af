"""The tree root → owner → repository, on which limits are set and inherited."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.ids import ScopeId

ROOT = ScopeId("root")


class ScopeKind(enum.Enum):
    """A level of the tree."""

    ROOT = "root"
    OWNER = "owner"
    REPOSITORY = "repository"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """
    A node of the tree, keyed by the tracker's numeric id: names change, ids do not.

    ``name`` is the latest name seen, to address the tracker and to show to people.
    """

    id: ScopeId
    parent: ScopeId | None
    kind: ScopeKind
    name: str


def owner_scope(owner_id: int) -> ScopeId:
    """Return the scope of an owner, by the tracker's numeric id."""
    return ScopeId(f"owner:{owner_id}")


def repository_scope(repository_id: int) -> ScopeId:
    """Return the scope of a repository, by the tracker's numeric id."""
    return ScopeId(f"repository:{repository_id}")


def repository_id(scope: ScopeId) -> int:
    """Return the tracker's numeric id of a repository scope. Raises ``ValueError`` for any other scope."""
    return _number(scope, "repository")


def owner_id(scope: ScopeId) -> int:
    """Return the tracker's numeric id of an owner's scope. Raises ``ValueError`` for any other scope."""
    return _number(scope, "owner")


def item_key(repository_id: int, number: int) -> str:
    """Return the correlation key of an issue or pull request."""
    return f"item:{repository_id}/{number}"


def branch_key(repository_id: int, ref: str) -> str:
    """Return the correlation key of a branch."""
    return f"branch:{repository_id}/{ref}"


def _number(scope: ScopeId, wanted: str) -> int:
    kind, _, number = scope.partition(":")
    if kind != wanted:
        raise ValueError(f"{scope!r} is not the scope of a {wanted}")
    return int(number)
