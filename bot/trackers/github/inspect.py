"""Looking at an account, a repository and its webhooks, for the doctor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

import httpx

from bot.clock import SECOND, Millis
from bot.errors import RateLimitedError, TrackerError, TrackerMissingError
from bot.trackers.github.client import PAGE, Client, json_of, path_of
from bot.trackers.github.fields import Fields
from bot.trackers.github.opening import open_client
from bot.trackers.github.permissions import PERMISSIONS
from bot.trackers.github.refusal import moment_of
from bot.trackers.inspection import Account, Attempt, Hook, Lacking

_HIDDEN = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND})
_SAYS_NOTHING = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY})
"""How a server answers that does not know the path, and one whose repository has no commit yet."""
_PROBES: Mapping[str, tuple[str | int, ...]] = {
    "contents": ("branches",),
    "issues": ("issues",),
    "metadata": ("labels",),
    "pull_requests": ("pulls",),
    "statuses": ("commits", "HEAD", "statuses"),
}
"""By the permission: a list that cannot be read without it."""


@dataclass(frozen=True)
class GithubInspect:
    """See ``bot.trackers.inspection`` for what each method promises."""

    client: Client

    async def get(self, path: str, **query: str | int) -> httpx.Response:
        """Return an answer that is no refusal, with its headers."""
        return await self.client.answer("GET", path, query=query or None)

    async def account(self) -> Account:
        """Return whom the credentials belong to."""
        answer = await self.get("/user")
        return account_of(answer, Fields.of(json_of(answer)).text("login"))

    async def may_push(self, repository: str) -> bool:
        """Return whether the account may write to the repository."""
        document = json_of(await self.get(path_of(repository)))
        rights = document.get("permissions") if isinstance(document, dict) else None
        return isinstance(rights, dict) and rights.get("push") is True

    async def lacking(self, repository: str) -> Sequence[Lacking]:
        """Return what the credentials may not read though the bot does; writing cannot be tried."""
        found = []
        for name, rest in _PROBES.items():
            try:
                await self.get(path_of(repository, *rest), per_page=1)
            except TrackerError as error:
                if error.status != HTTPStatus.FORBIDDEN or isinstance(error, RateLimitedError):
                    if error.status not in _SAYS_NOTHING:
                        raise
                    continue
                found.append(Lacking(permission=name, level=PERMISSIONS[name]))
        return found

    async def hooks(self, repository: str) -> Sequence[Hook] | None:
        """Return the webhooks of the repository, None where the credentials may not look."""
        entries = await self._entries(path_of(repository, "hooks"))
        return None if entries is None else [_hook(entry) for entry in entries]

    async def attempts(self, repository: str, hook: int) -> Sequence[Attempt]:
        """Return the latest tries to deliver, newest first, one page."""
        return await self.tried(path_of(repository, "hooks", hook, "deliveries"))

    async def labels(self, repository: str) -> Sequence[str]:
        """Return the names of the labels of the repository; none where the credentials may not look."""
        found: list[str] = []
        page = 1
        while entries := await self._entries(path_of(repository, "labels"), page=page):
            found += [entry.text("name") for entry in entries]
            page += 1
        return found

    async def exists(self, name: str) -> bool:
        """Return whether there is an account or a team of this name that the credentials may see."""
        owner, _, team = (quote(part, safe="") for part in name.partition("/"))
        try:
            await self.get(f"/orgs/{owner}/teams/{team}" if team else f"/users/{owner}")
        except TrackerMissingError:
            return False
        return True

    async def tried(self, path: str) -> Sequence[Attempt]:
        """Return the latest of a list of deliveries."""
        return [Attempt(status=entry.number("status_code")) for entry in await self._entries(path) or []]

    async def _entries(self, path: str, **query: int) -> list[Fields] | None:
        """Return one page of a list, None when it is refused or hidden."""
        try:
            answer = await self.get(path, per_page=PAGE, **query)
        except TrackerError as error:
            if error.status in _HIDDEN and not isinstance(error, RateLimitedError):
                return None
            raise
        document = json_of(answer)
        if not isinstance(document, list):
            raise TrackerError(f"the tracker answered {path} with something else than a list")
        return [Fields.of(entry) for entry in document]


@asynccontextmanager
async def open_inspect(
    token: str, *, base_url: str, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[GithubInspect]:
    """Yield an inspector by a personal token."""
    async with open_client(token, base_url=base_url, transport=transport) as (client, _):
        yield GithubInspect(client)


def account_of(answer: httpx.Response, login: str) -> Account:
    """Return an account with what came in the headers of the answer about it."""
    headers = answer.headers
    return Account(
        login=login,
        tracker_time=_moment(headers.get("date")),
        remaining=_count(headers, "x-ratelimit-remaining"),
        limit=_count(headers, "x-ratelimit-limit"),
        version=headers.get("x-github-enterprise-version"),
    )


def _hook(entry: Fields) -> Hook:
    return Hook(
        id=entry.number("id"),
        url=entry.child("config").text_or_none("url") or "",
        active=entry.flag("active"),
        events=tuple(map(str, entry.items("events"))),
    )


def _count(headers: Mapping[str, str], name: str) -> int | None:
    text = headers.get(name, "")
    return int(text) if text.isascii() and text.isdigit() else None


def _moment(text: str | None) -> Millis | None:
    seconds = None if text is None else moment_of(text)
    return None if seconds is None else Millis(seconds * SECOND)
