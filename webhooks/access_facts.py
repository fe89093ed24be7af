"""Facts about what the bot may reach: the app's installations, and repositories as a whole."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar

from webhooks.fact_parts import FactKind


class Lost(enum.Enum):
    """Why repositories are out of reach; the value is stored and must not change."""

    UNINSTALLED = "uninstalled"
    SUSPENDED = "suspended"
    REMOVED = "removed"
    DELETED = "deleted"


@dataclass(frozen=True, kw_only=True)
class AccessFact:
    """
    Repositories went out of the bot's reach.

    ``repositories`` are ids. Without any, it is all that the account with the id ``owner`` has.
    """

    kind: ClassVar[FactKind] = FactKind.ACCESS

    lost: Lost
    owner: int
    repositories: tuple[int, ...]
    delivery: str

    @property
    def natural_key(self) -> str:
        """One per delivery: access can be given back and lost again."""
        return f"access:{self.delivery}"

    @property
    def keys(self) -> tuple[str, ...]:
        """Nothing: it concerns many items."""
        return ()
