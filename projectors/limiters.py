"""
A gate for each installation: what limits one leaves the others alone.

A tracker counts the writes of an App by the account that it is installed on, and those of a token all together.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.clock import Clock
from projectors.limiter import Limiter
from projectors.pace import GITHUB, Pace


@dataclass(frozen=True, kw_only=True)
class Limiters:
    """Keeps the gates. ``by_owner`` says that each account has limits of its own."""

    clock: Clock
    pace: Pace = GITHUB
    by_owner: bool = False
    _gates: dict[str, Limiter] = field(default_factory=dict)

    def of(self, repository: str) -> Limiter:
        """Return the one gate for all writes that count together with those to a repository, ``owner/name``."""
        owner = repository.partition("/")[0].lower() if self.by_owner else ""
        return self._gates.setdefault(owner, Limiter(clock=self.clock, pace=self.pace))
