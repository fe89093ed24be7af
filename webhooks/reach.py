"""The fact that the bot may do more than before: what was refused may be allowed now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from webhooks.fact_parts import FactKind


@dataclass(frozen=True, kw_only=True)
class ReachFact:
    """
    Repositories came into the bot's reach, or it got permissions in them.

    ``repositories`` are ids. Without any, it is all that the account with the id ``owner`` has.
    """

    kind: ClassVar[FactKind] = FactKind.REACH

    owner: int
    repositories: tuple[int, ...]
    delivery: str

    @property
    def natural_key(self) -> str:
        """One per delivery: access can be lost and given again."""
        return f"reach:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """Nothing: it concerns many items."""
        return ()
