"""
A stage: the embedded tracker and the bot in one process, stepped by the test.

It speaks the language of the people on it. What they do goes to the tracker; ``until`` turns the wheel until what
they wait for has come true. With ``webhooks`` off, nothing that the tracker sends arrives: all is found by the sweep.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from pydantic import SecretStr

from bot.clock import SECOND
from bot.demo.story import Cast, Check, Person, Thread
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens, furnish
from bot.host.app import Host, Surroundings, open_host
from bot.host.config import Config, Settings, TrackerSettings
from bot.storage.runner import InlineRunner
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.clock import FakeClock

ADDRESS = "http://tracker.test"
PATIENCE = 30.0
"""Real seconds that a program started by the bot may take before the stage gives up on it."""
QUIET = 3
"""Turns without any news after which only a program can still bring some."""
PLAYBOOK = Path(__file__).parents[2] / "bot" / "demo" / "playbook.md"


class _Doorway(httpx.AsyncBaseTransport):
    """Leads to whatever application is behind it now; a bot that is down answers nothing."""

    def __init__(self) -> None:
        self.app: httpx.ASGITransport | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.app is None:
            raise httpx.ConnectError("nobody is there")
        return await self.app.handle_async_request(request)


@dataclass(kw_only=True)
class Stage:
    """The tracker, the people, and the bot while it is up."""

    directory: Path
    tracker: EmbeddedTracker
    tokens: Tokens
    clock: FakeClock
    webhooks: bool
    secret: str
    doorway: _Doorway
    people: Mapping[str, Person]
    playbook: Path = PLAYBOOK
    transport: httpx.AsyncBaseTransport | None = None
    pulse: asyncio.Event = field(default_factory=asyncio.Event)
    host: Host | None = None

    @property
    def cast(self) -> Cast:
        """The people of the story."""
        return Cast(
            repository=REPOSITORY,
            developer=self.people[DEVELOPER],
            maintainer=self.people[MAINTAINER],
            reader=self.people[READER],
        )

    @property
    def config(self) -> Config:
        """What the bot is told."""
        return Config(
            data=self.directory / "bot",
            repositories=(REPOSITORY,),
            playbooks=(self.playbook,),
            tracker=TrackerSettings(url=ADDRESS),
            settings=Settings(sweep=1 if not self.webhooks else 3_600_000, grace=1_000),
            token=SecretStr(self.tokens.of(BOT)),
            secrets=(SecretStr(self.secret),),
        )

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Host]:
        """Run the bot."""
        around = Surroundings(
            clock=self.clock,
            runner=InlineRunner(),
            transport=self.transport or httpx.ASGITransport(self.tracker.app),
            ticks=self._ticks,
        )
        async with open_host(self.config, around) as host:
            self.host = host
            self.doorway.app = httpx.ASGITransport(host.app) if self.webhooks else None
            try:
                yield host
            finally:
                self.host, self.doorway.app = None, None

    @property
    def up(self) -> Host:
        """The bot, which must be up."""
        assert self.host is not None
        return self.host

    async def turn(self) -> int:
        """Deliver what the tracker has to send, move the clock, and turn the wheel once. Returns the news."""
        delivered = await self.tracker.deliver_pending()
        self.clock.advance(SECOND)
        self.pulse.set()
        await self.up.wheels.tick()
        return delivered if self.webhooks else 0

    async def until(self, description: str, check: Check) -> None:
        """Turn the wheel until the check holds. Raises when nothing happens any more and it does not."""
        quiet = 0
        for _ in range(500):
            news = await self.turn()
            if await check():
                return
            quiet = 0 if news or self.up.wheels.woken.is_set() else quiet + 1
            if quiet > QUIET:
                await self._wait_for_a_program(description)
        raise AssertionError(f"did not come true: {description}")

    async def settle(self) -> None:
        """Turn the wheel until nothing happens any more."""
        quiet = 0
        while quiet <= QUIET:
            news = await self.turn()
            quiet = 0 if news or self.up.wheels.woken.is_set() else quiet + 1

    async def issue(self, title: str = "Fix the greeting", body: str = "It says wrold.") -> Thread:
        """Open an issue as the developer."""
        thread = await self.tracker.open_issue(REPOSITORY, by=DEVELOPER, title=title, body=body)
        return Thread(self.people[DEVELOPER], REPOSITORY, thread.number)

    async def label(self, thread: Thread, *names: str, by: str = DEVELOPER) -> None:
        """Put labels on a thread."""
        await self.tracker.label(REPOSITORY, thread.number, *(names or ("run:work-issue",)), by=by)

    async def say(self, thread: Thread, body: str, *, by: str = MAINTAINER) -> int:
        """Comment; returns the comment's id."""
        return (await self.tracker.comment(REPOSITORY, thread.number, body, by=by)).id

    async def _wait_for_a_program(self, description: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.up.wheels.woken.wait()
        except TimeoutError as error:
            raise AssertionError(f"nothing happens any more, and still not: {description}") from error

    async def _ticks(self, _milliseconds: float) -> AsyncIterator[None]:
        while True:
            await self.pulse.wait()
            self.pulse.clear()
            yield


@asynccontextmanager
async def open_stage(directory: Path, *, webhooks: bool = True, playbook: Path = PLAYBOOK) -> AsyncIterator[Stage]:
    """Set the stage: the tracker with its people and its webhook; the bot is not up yet."""
    clock, doorway, secret = FakeClock(), _Doorway(), secrets.token_hex(32)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(transport=doorway, timeout=10))
        tracker = await stack.enter_async_context(
            EmbeddedTracker.open(
                directory / "tracker.db", directory / "git", clock=clock, client=client, base_url=ADDRESS
            )
        )
        tokens = await furnish(tracker)
        people: dict[str, Person] = {}
        for login in (DEVELOPER, MAINTAINER, READER):
            headers = {"Authorization": f"Bearer {tokens.of(login)}"}
            person = await stack.enter_async_context(
                httpx.AsyncClient(transport=httpx.ASGITransport(tracker.app), base_url=ADDRESS, headers=headers)
            )
            people[login] = Person(login, person)
        await tracker.create_hook(REPOSITORY, "http://bot.test/webhooks/github", secret)
        yield Stage(
            directory=directory,
            tracker=tracker,
            tokens=tokens,
            clock=clock,
            webhooks=webhooks,
            secret=secret,
            doorway=doorway,
            people=people,
            playbook=playbook,
        )
