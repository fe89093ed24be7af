"""The tracker contract over GitHub's REST API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx

from bot.clock import Millis
from bot.domain.permission import Permission
from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.contract import (
    Comment,
    Issue,
    IssueEvent,
    Person,
    PullRequest,
    Reaction,
    Repository,
    Review,
)
from bot.trackers.github import parse
from bot.trackers.github.client import Client, escaped, open_client

TIMEOUT = 10.0
_INVALID = 422


class GithubTracker:
    """See ``bot.trackers.contract`` for what each method promises."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def me(self) -> Person:
        """Return the account that the token belongs to."""
        return parse.person(await self._client.call("GET", "/user"))

    async def repository(self, full_name: str) -> Repository:
        """Return the repository; a renamed one is found by its old name too."""
        return parse.repository(await self._client.call("GET", f"/repos/{full_name}"))

    async def issue(self, repository: str, number: int) -> Issue:
        """Return the issue as it is now."""
        return parse.issue(await self._client.call("GET", f"/repos/{repository}/issues/{number}"))

    async def issues(self, repository: str, *, label: str) -> Sequence[Issue]:
        """Return all open issues that carry the label."""
        entries = await self._client.pages(f"/repos/{repository}/issues", {"state": "open", "labels": label})
        return [found for found in map(parse.issue, entries) if not found.is_pull_request]

    async def issue_events(self, repository: str, number: int, *, after: int = 0) -> Sequence[IssueEvent]:
        """Return the issue's own events above an id, oldest first."""
        entries = await self._client.pages(f"/repos/{repository}/issues/{number}/events")
        events = [parse.issue_event(entry, number) for entry in entries if entry["id"] > after]
        return sorted(events, key=lambda event: event.id)

    async def comments(self, repository: str, number: int) -> Sequence[Comment]:
        """Return all comments of a thread, oldest first."""
        entries = await self._client.pages(f"/repos/{repository}/issues/{number}/comments")
        return [parse.comment(entry) for entry in entries]

    async def comments_since(self, repository: str, since: Millis) -> Sequence[Comment]:
        """Return the repository's comments updated since a moment, oldest first."""
        text = datetime.fromtimestamp(max(since, 0) // 1000, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        query: dict[str, str | int] = {"since": text, "sort": "updated", "direction": "asc"}
        entries = await self._client.pages(f"/repos/{repository}/issues/comments", query)
        return [parse.comment(entry) for entry in entries]

    async def reviews(self, repository: str, number: int) -> Sequence[Review]:
        """Return the submitted reviews of a pull request, oldest first."""
        entries = await self._client.pages(f"/repos/{repository}/pulls/{number}/reviews")
        # A review that its author is still writing has not been submitted to anyone.
        return [parse.review(entry, number) for entry in entries if entry["state"] != "PENDING"]

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        """Return the pull request as it is now."""
        return parse.pull_request(await self._client.call("GET", f"/repos/{repository}/pulls/{number}"))

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        """Return the newest pull request of a branch of the same repository, open or not."""
        owner = repository.partition("/")[0]
        query: dict[str, str | int] = {"state": "all", "head": f"{owner}:{head_ref}"}
        entries = await self._client.pages(f"/repos/{repository}/pulls", query)
        found = [parse.pull_request(entry) for entry in entries if entry["head"]["ref"] == head_ref]
        return max(found, key=lambda pull: pull.number, default=None)

    async def permission(self, repository: str, login: str) -> Permission:
        """Return the collaborator permission; an account that is none has ``NONE``."""
        path = f"/repos/{repository}/collaborators/{escaped(login)}/permission"
        try:
            return parse.permission(await self._client.call("GET", path))
        except TrackerMissingError:
            return Permission.NONE

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """Post a comment, once."""
        path = f"/repos/{repository}/issues/{number}/comments"
        return parse.comment(await self._client.call("POST", path, body={"body": body}))

    async def update_comment(self, repository: str, comment: int, body: str) -> None:
        """Replace a comment's body."""
        await self._client.call("PATCH", f"/repos/{repository}/issues/comments/{comment}", body={"body": body})

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        """Create a label unless there is one of this name."""
        document = {"name": name, "color": color, "description": description}
        try:
            await self._client.call("POST", f"/repos/{repository}/labels", body=document)
        except TrackerError as error:
            if error.status != _INVALID:
                raise
            # Invalid is what a name that exists is called; anything else that is invalid shows when looking.
            await self._client.call("GET", f"/repos/{repository}/labels/{escaped(name)}")

    async def add_labels(self, repository: str, number: int, names: Sequence[str]) -> None:
        """Add labels to an item."""
        path = f"/repos/{repository}/issues/{number}/labels"
        await self._client.call("POST", path, body={"labels": list(names)})

    async def remove_label(self, repository: str, number: int, name: str) -> None:
        """Take a label off an item, if it is there."""
        try:
            await self._client.call("DELETE", f"/repos/{repository}/issues/{number}/labels/{escaped(name)}")
        except TrackerMissingError:
            return

    async def react_to_issue(self, repository: str, number: int, reaction: Reaction) -> None:
        """React to an issue."""
        path = f"/repos/{repository}/issues/{number}/reactions"
        await self._client.call("POST", path, body={"content": reaction.value})

    async def react_to_comment(self, repository: str, comment: int, reaction: Reaction) -> None:
        """React to a comment."""
        path = f"/repos/{repository}/issues/comments/{comment}/reactions"
        await self._client.call("POST", path, body={"content": reaction.value})

    async def create_pull_request(
        self, repository: str, *, head_ref: str, base_ref: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        """Open a pull request, once."""
        document = {"head": head_ref, "base": base_ref, "title": title, "body": body, "draft": draft}
        return parse.pull_request(await self._client.call("POST", f"/repos/{repository}/pulls", body=document))

    async def update_pull_request(self, repository: str, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        path = f"/repos/{repository}/pulls/{number}"
        return parse.pull_request(await self._client.call("PATCH", path, body={"title": title, "body": body}))


@asynccontextmanager
async def open_tracker(
    token: str,
    *,
    base_url: str,
    seconds: float = TIMEOUT,
    transport: httpx.AsyncBaseTransport | None = None,
) -> AsyncIterator[GithubTracker]:
    """
    Yield the tracker at ``base_url``, such as ``https://api.github.com``, for the life of the host.

    Each request may take ``seconds``; ``transport`` takes the place of the network in tests.
    """
    async with open_client(token, base_url=base_url, seconds=seconds, transport=transport) as client:
        yield GithubTracker(client)
