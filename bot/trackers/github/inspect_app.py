"""Looking at an App for the doctor: as it is registered, and as owners have accepted it, which are two things."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import httpx

from bot.clock import Clock
from bot.errors import TrackerMissingError
from bot.trackers.github.client import json_of, path_of
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.fields import Fields
from bot.trackers.github.inspect import GithubInspect, account_of
from bot.trackers.github.opening import open_client
from bot.trackers.github.permissions import EVENTS, NEWER_EVENTS, short_of
from bot.trackers.inspection import Account, App, AppHook, Attempt, Installation, Lacking


class GithubAppInspect(GithubInspect):
    """See ``bot.trackers.inspection`` for what each method promises."""

    async def account(self) -> Account:
        """Return the account that the tracker made for the App."""
        answer = await self.get("/app")
        return account_of(answer, f"{Fields.of(json_of(answer)).text('slug')}[bot]")

    async def app(self) -> App:
        """Return the App as it is registered."""
        seen = await self.client.get("/app")
        return App(slug=seen.text("slug"), lacking=_lacking(seen), unsent=_unsent(seen))

    async def installation(self, repository: str) -> Installation | None:
        """Return the installation that a repository belongs to, None where there is none or no such repository."""
        try:
            seen = await self.client.get(path_of(repository, "installation"))
        except TrackerMissingError:
            return None
        return Installation(
            id=seen.number("id"),
            owner=seen.child("account").text("login"),
            suspended=seen.document.get("suspended_at") is not None,
            lacking=_lacking(seen),
            unsent=_unsent(seen),
            url=seen.text_or_none("html_url") or "",
        )

    async def app_hook(self) -> AppHook | None:
        """Return the App's webhook, None where the tracker does not tell of it."""
        try:
            seen = await self.client.get("/app/hook/config")
        except TrackerMissingError:
            return None
        # The secret itself is never told: asterisks stand in its place.
        return AppHook(url=seen.text_or_none("url") or "", signed=bool(seen.text_or_none("secret")))

    async def app_attempts(self) -> Sequence[Attempt]:
        """Return the App's latest tries to deliver, newest first, one page."""
        return await self.tried("/app/hook/deliveries")


@asynccontextmanager
async def open_app_inspect(
    identity: AppIdentity, *, base_url: str, transport: httpx.AsyncBaseTransport | None = None, clock: Clock
) -> AsyncIterator[GithubAppInspect]:
    """Yield an inspector of an App. Raises ``ConfigError`` for a key that is none."""
    async with open_client(identity, base_url=base_url, transport=transport, clock=clock) as (client, _):
        yield GithubAppInspect(client)


def _lacking(seen: Fields) -> tuple[Lacking, ...]:
    granted: Mapping[str, object] = seen.child("permissions").document
    short = short_of({name: str(level) for name, level in granted.items()})
    return tuple(Lacking(permission=name, level=level) for name, level in short.items())


def _unsent(seen: Fields) -> tuple[str, ...]:
    sent = set(map(str, seen.items("events")))
    return tuple(name for name in EVENTS if name not in sent | NEWER_EVENTS)
