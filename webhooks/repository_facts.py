"""Facts about a repository itself: its name, its labels, and the runs of its workflows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bot.domain.scope import branch_key
from webhooks.fact_parts import FactKind, RepositoryRef


@dataclass(frozen=True, kw_only=True)
class MovedFact:
    """A repository got another name or another owner: ``repository`` is what it is called now."""

    kind: ClassVar[FactKind] = FactKind.MOVED

    repository: RepositoryRef
    delivery: str

    @property
    def natural_key(self) -> str:
        """One per delivery: it may be renamed back."""
        return f"moved:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """Nothing: it concerns many items, and each by the same id as before."""
        return ()


@dataclass(frozen=True, kw_only=True)
class LabelFact:
    """A label of a repository got another ``name`` than ``before``, or was deleted, and has no name any more."""

    kind: ClassVar[FactKind] = FactKind.LABEL

    repository: RepositoryRef
    before: str
    name: str | None
    delivery: str

    @property
    def natural_key(self) -> str:
        """One per delivery: a label can be made anew, and renamed back."""
        return f"label:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """Nothing: it concerns many items."""
        return ()


@dataclass(frozen=True, kw_only=True)
class WorkflowFact:
    """
    A run of a workflow, or a job of one (``job`` is its id then), got on.

    ``run`` and ``attempt`` name the run: one that is started again has the same id and another attempt. ``state`` is
    the tracker's word for where it stands, ``conclusion`` how it ended. ``branch`` is None for what has none.
    """

    kind: ClassVar[FactKind] = FactKind.WORKFLOW

    repository: RepositoryRef
    run: int
    attempt: int
    job: int | None
    sha: str
    branch: str | None
    state: str
    conclusion: str | None

    @property
    def natural_key(self) -> str:
        """The attempt and where it stood, so that a late delivery of an earlier state is a fact of its own."""
        job = "" if self.job is None else f"/job/{self.job}"
        return f"workflow:{self.repository.id}/{self.run}/{self.attempt}{job}/{self.state}/{self.conclusion or ''}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The branch."""
        return () if self.branch is None else (branch_key(self.repository.id, self.branch),)
