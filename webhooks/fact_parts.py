"""What facts are made of: their kinds, the repository that they name, and the keys that find Work."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Self

from bot.domain.scope import branch_key, item_key
from bot.trackers.contract import Repository


class FactKind(enum.Enum):
    """The kinds of facts; the value is stored and must not change."""

    WAKE = "wake"
    COMMENT = "comment"
    COMMENT_DELETED = "comment_deleted"
    REVIEW = "review"
    PULL_REQUEST = "pull_request"
    PING = "ping"
    CHECKS = "checks"
    PUSH = "push"
    ACCESS = "access"
    REACH = "reach"
    MOVED = "moved"
    LABEL = "label"
    WORKFLOW = "workflow"


@dataclass(frozen=True, kw_only=True)
class RepositoryRef:
    """A repository as a fact names it. ``id`` never changes; owner and name are those of that moment."""

    id: int
    owner: str
    owner_id: int
    name: str

    @property
    def full_name(self) -> str:
        """``owner/name``, to address the tracker."""
        return f"{self.owner}/{self.name}"

    @classmethod
    def of(cls, repository: Repository) -> Self:
        """Return the reference to a repository that was read through the API."""
        return cls(id=repository.id, owner=repository.owner, owner_id=repository.owner_id, name=repository.name)


def item_keys(repository: RepositoryRef, number: int, branch: str | None) -> tuple[str, ...]:
    """Return the keys of an item, and of the branch of its pull request."""
    item = item_key(repository.id, number)
    return (item,) if branch is None else (item, branch_key(repository.id, branch))
