"""Who an item is assigned to. Raises as the methods of ``bot.trackers.contract`` do."""

from __future__ import annotations

from typing import Protocol


class WriteAssignees(Protocol):
    """Assigning accounts to items; only ``projectors`` uses it."""

    async def assign(self, repository: str, number: int, login: str) -> bool:
        """
        Assign an account beside those that are assigned. Returns whether it is among them now.

        The tracker leaves out whom it cannot assign, such as an App or somebody without access, and does not say so.
        """
        ...

    async def unassign(self, repository: str, number: int, login: str) -> None:
        """Take an account off; taking off one that is not assigned is fine."""
        ...
