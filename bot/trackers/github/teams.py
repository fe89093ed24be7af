"""Membership of teams, over GitHub's REST API."""

from __future__ import annotations

from urllib.parse import quote

from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.github.client import Client


class GithubTeams:
    """See ``bot.trackers.teams`` for what it promises."""

    client: Client

    async def in_team(self, team: str, login: str) -> bool:
        """Return whether an account is an active member of a team that the bot can see (gh-K-05)."""
        owner, slash, slug = team.partition("/")
        if not (owner and slash and slug) or "/" in slug or {owner, slug, login} & {"", ".", ".."}:
            raise TrackerError(f"{team!r} is not a team, or {login!r} no account: a team is owner/team")
        path = f"/orgs/{quote(owner, safe='')}/teams/{quote(slug, safe='')}"
        try:
            answer = await self.client.get(f"{path}/memberships/{quote(login, safe='')}")
        except TrackerMissingError as error:
            await self._probe(path, team, error)
            return False
        return answer.text("state") == "active"

    async def _probe(self, path: str, team: str, error: TrackerMissingError) -> None:
        """Tell "not a member" from "may not look": only who sees the team is told the truth about its members."""
        try:
            await self.client.get(path)
        except TrackerMissingError:
            message = f"the bot cannot see the team {team}: it may not exist, or members: read is missing"
            raise TrackerError(message, status=error.status) from error
