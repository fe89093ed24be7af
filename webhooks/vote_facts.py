"""Facts about what people took back: a comment that was deleted. A review that was dismissed is a ``ReviewFact``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from webhooks.fact_parts import FactKind, RepositoryRef, item_keys


@dataclass(frozen=True, kw_only=True)
class CommentDeletedFact:
    """A comment in a thread was deleted; by whom does not matter."""

    kind: ClassVar[FactKind] = FactKind.COMMENT_DELETED

    repository: RepositoryRef
    number: int
    comment_id: int

    @property
    def said(self) -> str:
        """The natural key of the comment when it was written."""
        return f"comment:{self.repository.id}/{self.comment_id}"

    @property
    def natural_key(self) -> str:
        """The comment's id: it is deleted once."""
        return f"{self.said}/deleted"

    @property
    def keys(self) -> tuple[str, ...]:
        """The item."""
        return item_keys(self.repository, self.number, None)
