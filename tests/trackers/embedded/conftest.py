"""A tracker with a repository, a few people and a receiver that remembers what it was sent."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.clock import SECOND, Millis
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.published.description import description
from tests.published.watch import Watched

REPO = "acme/shop"
BASE = "http://tracker.test"
HOOK_URL = "http://bot.test/webhooks/github"
START = 1_770_000_000_000


@dataclass
class Ticking:
    """A clock that goes on by a second whenever it is read."""

    moment: int = START

    def now(self) -> Millis:
        self.moment += SECOND
        return Millis(self.moment)


@dataclass(frozen=True)
class Received:
    event: str
    guid: str
    headers: httpx.Headers
    body: bytes

    @property
    def payload(self) -> Any:
        return json.loads(self.body)

    @property
    def name(self) -> str:
        return f"{self.event}.{self.payload['action']}" if "action" in self.payload else self.event


@dataclass
class Receiver:
    """What webhooks are sent to. ``answers`` with a status, or fails to connect when that is None."""

    answers: int | None = 202
    received: list[Received] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.answers is None:
            raise httpx.ConnectError("nobody listens", request=request)
        headers = request.headers
        action = json.loads(request.content).get("action")
        description().check_webhook(headers["X-GitHub-Event"], action, request.content)
        self.received.append(
            Received(headers["X-GitHub-Event"], headers["X-GitHub-Delivery"], headers, request.content)
        )
        self.arrived.set()
        return httpx.Response(self.answers, text="thanks")

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.received]


@dataclass
class World:
    tracker: EmbeddedTracker
    receiver: Receiver
    secret: str
    hook: int
    tokens: dict[str, str]
    stack: AsyncExitStack
    clock: Ticking

    async def told(self) -> list[str]:
        """Send what is queued and return the names of what arrived since the last time."""
        self.receiver.received.clear()
        await self.tracker.deliver_pending()
        return self.receiver.names

    async def client(self, login: str | None) -> httpx.AsyncClient:
        headers = {} if login is None else {"Authorization": f"Bearer {self.tokens[login]}"}
        transport = Watched(httpx.ASGITransport(self.tracker.app), requests=False)
        return await self.stack.enter_async_context(
            httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers)
        )


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    receiver, clock = Receiver(), Ticking()
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(transport=httpx.MockTransport(receiver)))
        opened = EmbeddedTracker.open(
            tmp_path / "tracker.db", tmp_path / "git", clock=clock, client=client, base_url=BASE
        )
        tracker = await stack.enter_async_context(opened)
        tokens = {login: await tracker.add_user(login) for login in ("ada", "ben", "cleo")}
        tokens["trackside[bot]"] = await tracker.add_user("trackside[bot]", bot=True)
        await tracker.create_repository("acme", "shop", {"README.md": "# Shop\n", "src/cart.py": "total = 0\n"})
        await tracker.grant(REPO, "ada", "admin")
        await tracker.grant(REPO, "trackside[bot]", "write")
        await tracker.grant(REPO, "ben", "write")
        secret = secrets.token_hex(16)
        hook = await tracker.create_hook(REPO, HOOK_URL, secret)
        world = World(tracker, receiver, secret, hook.id, tokens, stack, clock)
        assert await world.told() == ["ping"]
        yield world


@pytest.fixture
async def bot(world: World) -> httpx.AsyncClient:
    """REST as the bot."""
    return await world.client("trackside[bot]")


@pytest.fixture
async def ada(world: World) -> httpx.AsyncClient:
    """REST as the repository's administrator."""
    return await world.client("ada")
