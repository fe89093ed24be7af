"""What a pull request changes. Raises as the methods of ``bot.trackers.contract`` do."""

from __future__ import annotations

from typing import Protocol


class ReadChanges(Protocol):
    """Reading what pull requests change."""

    async def diff(self, repository: str, number: int) -> bytes | None:
        """
        Return git's diff of a pull request, from where it left its base to its head.

        None when the tracker does not tell it, as of a change that is too large. It is what was pushed, byte by byte,
        with the modes of files.
        """
        ...
