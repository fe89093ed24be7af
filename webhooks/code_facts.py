"""Facts about commits and branches: pushes, and checks whose state changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bot.domain.scope import branch_key
from bot.trackers.contract import Person
from webhooks.fact_parts import FactKind, RepositoryRef


@dataclass(frozen=True, kw_only=True)
class ChecksFact:
    """
    A check or status of a commit changed: only its checks, read again, tell what they are now (gh-O-04).

    ``branches`` are those of this repository that had the commit as their head, as far as the delivery says. ``app`` is
    the App whose check it is, by its id; of what an account said under a name like ours, ``context`` is that name and
    ``account`` the id of who did.
    """

    kind: ClassVar[FactKind] = FactKind.CHECKS

    repository: RepositoryRef
    sha: str
    branches: tuple[str, ...]
    delivery: str
    app: int | None = None
    account: int | None = None
    context: str = ""

    @property
    def natural_key(self) -> str:
        """One per delivery, as for a wake."""
        return f"checks:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The branches."""
        return tuple(branch_key(self.repository.id, branch) for branch in self.branches)


@dataclass(frozen=True, kw_only=True)
class PushFact:
    """
    A branch or tag was pushed, or deleted.

    ``ref`` is complete (``refs/heads/main``). ``before`` and ``after`` are commits; all zeros stand for none.
    """

    kind: ClassVar[FactKind] = FactKind.PUSH

    repository: RepositoryRef
    ref: str
    before: str
    after: str
    forced: bool
    deleted: bool
    sender: Person

    @property
    def natural_key(self) -> str:
        """The ref and its new head; of a deletion, the head that it had."""
        head = f"deleted/{self.before}" if self.deleted else self.after
        return f"push:{self.repository.id}/{self.ref}/{head}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The branch; a tag has no key."""
        prefix = "refs/heads/"
        if not self.ref.startswith(prefix):
            return ()
        return (branch_key(self.repository.id, self.ref.removeprefix(prefix)),)
