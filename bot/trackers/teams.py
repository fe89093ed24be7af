"""Who is in which team, asked live. Raises as the methods of ``bot.trackers.contract`` do."""

from __future__ import annotations

from typing import Protocol


class TeamsOf(Protocol):
    """Membership of teams."""

    async def in_team(self, team: str, login: str) -> bool:
        """
        Return whether an account is an active member of ``owner/team``.

        "Not found" may mean that the bot may not see the team: then this raises ``TrackerError`` and never says no
        (gh-K-05).
        """
        ...
