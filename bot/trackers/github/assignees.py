"""Assignees, over GitHub's REST API."""

from __future__ import annotations

from bot.trackers.github import parse
from bot.trackers.github.client import Client, path_of


class GithubAssignees:
    """See ``bot.trackers.assignees`` for what it promises."""

    client: Client

    async def assign(self, repository: str, number: int, login: str) -> bool:
        """Assign an account, and look in the answer whether it was."""
        path = path_of(repository, "issues", number, "assignees")
        issue = parse.issue(await self.client.send("POST", path, {"assignees": [login]}))
        return login.casefold() in {name.casefold() for name in issue.assignees}

    async def unassign(self, repository: str, number: int, login: str) -> None:
        """Take an account off."""
        path = path_of(repository, "issues", number, "assignees")
        await self.client.tell("DELETE", path, {"assignees": [login]})
