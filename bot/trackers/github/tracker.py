"""The tracker contract over GitHub's REST API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from urllib.parse import quote

import httpx

from bot.clock import SECOND, Clock, Millis
from bot.domain.permission import Permission
from bot.errors import TrackerError, TrackerMissingError
from bot.trackers.calls import Meter
from bot.trackers.contract import (
    Comment,
    Issue,
    IssueEvent,
    LineComment,
    Person,
    PullRequest,
    Reaction,
    Repository,
    Review,
)
from bot.trackers.github import parse
from bot.trackers.github.assignees import GithubAssignees
from bot.trackers.github.changes import GithubChanges
from bot.trackers.github.checks import GithubChecks
from bot.trackers.github.client import Client, path_of
from bot.trackers.github.credentials import BotCredentials, Identity
from bot.trackers.github.deliveries import GithubDeliveries
from bot.trackers.github.etags import Answers, SparingWire
from bot.trackers.github.opening import TIMEOUT, open_client
from bot.trackers.github.teams import GithubTeams

_INVALID = 422


def _moment(time: Millis) -> str:
    """Return a moment as a query names it, to the second."""
    return datetime.fromtimestamp(max(time, 0) // SECOND, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class GithubTracker(GithubAssignees, GithubChanges, GithubChecks, GithubTeams, GithubDeliveries):
    """See ``bot.trackers.contract``, and ``checks`` and ``teams`` beside it, for what each method promises."""

    client: Client
    credentials: BotCredentials
    answers: Answers = field(default_factory=Answers)

    def sparing(self, meter: Meter) -> GithubTracker:
        """Return the same tracker, asked only for what has changed, and counted."""
        wire = SparingWire(self.client.wire, self.answers, meter)
        return replace(self, client=replace(self.client, wire=wire))

    async def me(self) -> Person:
        """Return the account that the token belongs to, or that the tracker made for the App."""
        return parse.person(await self.client.get(await self.credentials.account()))

    async def git_token(self, repository: str) -> str:
        """Return the token of the moment."""
        return await self.credentials.git_token(repository)

    @property
    def hidden(self) -> frozenset[str]:
        """The tokens that were in use lately."""
        return self.credentials.hidden

    async def repository(self, full_name: str) -> Repository:
        """Return the repository; a renamed one is found by its old name too."""
        return parse.repository(await self.client.get(path_of(full_name)))

    async def issue(self, repository: str, number: int) -> Issue:
        """Return the issue as it is now. One that was moved to another repository is missing from this one."""
        answer = await self.client.get(path_of(repository, "issues", number))
        home = "/".join(answer.text("repository_url").split("/")[-2:])
        # The old address of a moved issue leads on to the new one, and so does that of a renamed repository.
        if home.lower() != repository.lower() and (await self.repository(repository)).full_name != home:
            raise TrackerMissingError(f"issue {number} was moved to {home}")
        return parse.issue(answer)

    async def issues(self, repository: str, *, label: str) -> Sequence[Issue]:
        """Return all open issues and pull requests that carry the label, oldest first."""
        # In this order a new issue comes last, and moves no other one to a page that was read already.
        query = {"state": "open", "labels": label, "sort": "created", "direction": "asc"}
        return list(map(parse.issue, await self.client.pages(path_of(repository, "issues"), query)))

    async def issues_since(self, repository: str, since: Millis) -> Sequence[Issue]:
        """Return the repository's issues and pull requests updated since a moment, oldest first."""
        # In this order what changes meanwhile comes last, and is read with its page or the next time.
        query = {"state": "all", "since": _moment(since), "sort": "updated", "direction": "asc"}
        return list(map(parse.issue, await self.client.pages(path_of(repository, "issues"), query)))

    async def issue_events(self, repository: str, number: int, *, after: int = 0) -> Sequence[IssueEvent]:
        """Return the issue's own events above an id, oldest first."""
        entries = await self.client.pages(path_of(repository, "issues", number, "events"))
        events = (parse.issue_event(entry, number) for entry in entries if entry.number("id") > after)
        return sorted(events, key=lambda event: event.id)

    async def comments(self, repository: str, number: int) -> Sequence[Comment]:
        """Return all comments of a thread, oldest first."""
        return list(map(parse.comment, await self.client.pages(path_of(repository, "issues", number, "comments"))))

    async def comment(self, repository: str, comment: int) -> Comment:
        """Return a comment as it is now."""
        return parse.comment(await self.client.get(path_of(repository, "issues", "comments", comment)))

    async def comments_since(self, repository: str, since: Millis) -> Sequence[Comment]:
        """Return the repository's comments updated since a moment, oldest first."""
        query = {"since": _moment(since), "sort": "updated", "direction": "asc"}
        return list(map(parse.comment, await self.client.pages(path_of(repository, "issues", "comments"), query)))

    async def reviews(self, repository: str, number: int) -> Sequence[Review]:
        """Return the submitted reviews of a pull request, oldest first."""
        entries = await self.client.pages(path_of(repository, "pulls", number, "reviews"))
        reviews = (parse.review(entry, number) for entry in entries)
        return [review for review in reviews if review is not None]

    async def line_comments(self, repository: str, number: int, review: int) -> Sequence[LineComment]:
        """Return the comments on lines of a review, oldest first."""
        path = path_of(repository, "pulls", number, "reviews", review, "comments")
        return list(map(parse.line_comment, await self.client.pages(path)))

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        """Return the pull request as it is now."""
        return parse.pull_request(await self.client.get(path_of(repository, "pulls", number)))

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        """Return the newest pull request of a branch of the same repository, open or not."""
        owner = repository.partition("/")[0]
        query = {"state": "all", "head": f"{owner}:{head_ref}"}
        entries = await self.client.pages(path_of(repository, "pulls"), query)
        found = (parse.pull_request(entry) for entry in entries if parse.from_own_branch(entry, head_ref))
        return max(found, key=lambda pull: pull.number, default=None)

    async def permission(self, repository: str, login: str, *, account: int | None = None) -> Permission:
        """Return the collaborator permission; an account that is none, or another than expected, has ``NONE``."""
        try:
            answer = await self.client.get(path_of(repository, "collaborators", login, "permission"))
        except TrackerMissingError:
            return Permission.NONE
        user = answer.child_or_none("user")
        if account is not None and (user is None or user.number("id") != account):
            return Permission.NONE
        return parse.permission(answer)

    async def account_of(self, login: str) -> int | None:
        """Return the id of the account that has a login, as the tracker knows it now."""
        try:
            answer = await self.client.get(f"/users/{quote(login, safe='')}")
        except TrackerMissingError:
            return None
        return answer.number("id")

    async def create_comment(self, repository: str, number: int, body: str) -> Comment:
        """Post a comment, once."""
        path = path_of(repository, "issues", number, "comments")
        return parse.comment(await self.client.send("POST", path, {"body": body}))

    async def update_comment(self, repository: str, comment: int, body: str) -> None:
        """Replace a comment's body."""
        await self.client.tell("PATCH", path_of(repository, "issues", "comments", comment), {"body": body})

    async def ensure_label(self, repository: str, name: str, *, color: str, description: str) -> None:
        """Create a label unless there is one of this name."""
        if await self._has_label(repository, name):
            return
        document = {"name": name, "color": color, "description": description}
        try:
            await self.client.tell("POST", path_of(repository, "labels"), document)
        except TrackerError as error:
            # Invalid is also what a name is called that was taken since we looked.
            if error.status != _INVALID or not await self._has_label(repository, name):
                raise

    async def add_labels(self, repository: str, number: int, names: Sequence[str]) -> None:
        """Add labels to an item."""
        await self.client.tell("POST", path_of(repository, "issues", number, "labels"), {"labels": list(names)})

    async def remove_label(self, repository: str, number: int, name: str) -> None:
        """Take a label off an item, if it is there."""
        try:
            await self.client.tell("DELETE", path_of(repository, "issues", number, "labels", name))
        except TrackerMissingError:
            return

    async def react_to_issue(self, repository: str, number: int, reaction: Reaction) -> None:
        """React to an issue."""
        path = path_of(repository, "issues", number, "reactions")
        await self.client.tell("POST", path, {"content": reaction.value})

    async def react_to_comment(self, repository: str, comment: int, reaction: Reaction) -> None:
        """React to a comment."""
        path = path_of(repository, "issues", "comments", comment, "reactions")
        await self.client.tell("POST", path, {"content": reaction.value})

    async def create_pull_request(
        self, repository: str, *, head_ref: str, base_ref: str, title: str, body: str, draft: bool
    ) -> PullRequest:
        """Open a pull request, once."""
        document = {"head": head_ref, "base": base_ref, "title": title, "body": body, "draft": draft}
        return parse.pull_request(await self.client.send("POST", path_of(repository, "pulls"), document))

    async def update_pull_request(self, repository: str, number: int, *, title: str, body: str) -> PullRequest:
        """Replace title and body."""
        path = path_of(repository, "pulls", number)
        return parse.pull_request(await self.client.send("PATCH", path, {"title": title, "body": body}))

    async def _has_label(self, repository: str, name: str) -> bool:
        try:
            await self.client.tell("GET", path_of(repository, "labels", name))
        except TrackerMissingError:
            return False
        return True


@asynccontextmanager
async def open_tracker(
    identity: Identity,
    *,
    base_url: str,
    seconds: float = TIMEOUT,
    transport: httpx.AsyncBaseTransport | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[GithubTracker]:
    """
    Yield the tracker at ``base_url``, such as ``https://api.github.com``, for the life of the host.

    Each part of a request may take ``seconds``; ``transport`` takes the place of the network in tests, and ``clock``
    that of the machine's. Raises ``ConfigError`` for an App's key that is none.
    """
    opening = open_client(identity, base_url=base_url, seconds=seconds, transport=transport, clock=clock)
    async with opening as (client, credentials):
        yield GithubTracker(client, credentials)
