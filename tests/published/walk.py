"""Every request that the adapter can make, one after the other, by a token and by an App."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import httpx

from bot.setup.github_app import GithubApps
from bot.setup.manifest import Wishes
from bot.trackers.github.inspect import open_inspect
from bot.trackers.github.inspect_app import open_app_inspect
from bot.trackers.github.tracker import open_tracker
from tests.clock import FakeClock
from tests.published.calls import APP_INSPECTOR, INSPECTOR, MISSING, TRACKER
from tests.published.description import Operation
from tests.published.examples import Examples
from tests.trackers.github.apps import identity, pem

BASE = "https://api.github.com"
T = TypeVar("T")


def operation(text: str) -> Operation:
    """Return the operation of a text such as ``GET /user``."""
    method, path = text.split()
    return Operation(path, method)


def server() -> Examples:
    """Return a server of examples whose tokens have not expired."""
    minted = {"token": secrets.token_hex(20), "expires_at": "2099-01-01T00:00:00Z"}
    return Examples(differing={operation("POST /app/installations/{installation_id}/access_tokens"): minted})


async def by_token() -> list[httpx.Request]:
    """Return what is asked by a personal token."""
    github, token = server(), secrets.token_hex(20)
    async with open_tracker(token, base_url=BASE, transport=github) as tracker:
        await _all(TRACKER, tracker, github)
    async with open_inspect(token, base_url=BASE, transport=github) as inspector:
        await _all(INSPECTOR, inspector, github)
    return github.sent


async def by_app() -> list[httpx.Request]:
    """Return what is asked by an App, from its registration on."""
    github, clock = server(), FakeClock()
    setup = GithubApps(transport=github)
    wishes = Wishes(name="trackside", organization="", hook="", tracker=BASE)
    made = await setup.exchange(wishes, secrets.token_hex(10))
    await setup.repositories(replace(made, key=pem()))
    async with open_tracker(identity(), base_url=BASE, transport=github, clock=clock) as tracker:
        await _all(TRACKER, tracker, github)
    async with open_app_inspect(identity(), base_url=BASE, transport=github, clock=clock) as inspector:
        await _all(APP_INSPECTOR, inspector, github)
    return github.sent


async def _all(calls: Mapping[str, Callable[[T], Awaitable[object]]], asked: T, github: Examples) -> None:
    for name, call in calls.items():
        github.missing = Counter([operation(MISSING[name])] if name in MISSING else [])
        try:
            await call(asked)
        except Exception as error:
            error.add_note(f"when {name} was called")
            raise
