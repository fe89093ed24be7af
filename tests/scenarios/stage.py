"""
A stage: the embedded tracker and the bot in one process, stepped by the test.

It speaks the language of the people on it. What they do goes to the tracker; ``until`` turns the wheel until what
they wait for has come true. With ``webhooks`` off, nothing that the tracker sends arrives: all is found by the sweep.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
from pydantic import SecretStr
from starlette.types import ASGIApp

from bot.clock import SECOND
from bot.demo.story import Cast, Check, Person, Thread
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens, furnish
from bot.domain.execution import Phase
from bot.domain.work import Work
from bot.host.app import Host, Surroundings, open_host
from bot.host.config import Config
from bot.host.sections import BrakeSettings, Database, Settings, TrackerSettings
from bot.storage.contract import Tx
from bot.storage.runner import InlineRunner
from bot.trackers.embedded.courier import headers
from bot.trackers.embedded.tracker import EmbeddedTracker
from bot.trackers.embedded.values import Delivery
from bot.trackers.github.credentials import AppIdentity
from tests.clock import FakeClock
from tests.published.watch import Watched
from tests.scenarios.faults import Faults

ADDRESS = "http://tracker.test"
PATIENCE = 30.0
"""Real seconds that a program started by the bot may take before the stage gives up on it."""
QUIET = 3
"""Turns without any news after which only a program, or the clock, can still bring some."""
MOST = 500
"""Turns after which the stage gives up, whatever goes on."""
LONG = 60
"""Turns without any news, while no program runs, after which there will be none: each is a second by the clock."""
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
    """
    The tracker, the people, and the bot while it is up. ``faults`` lie between the bot and the tracker.

    ``paces`` are how many milliseconds apart the bot asked for its ticks to be. With an ``app``, the bot is that App,
    else the account ``BOT``.
    """

    directory: Path
    tracker: EmbeddedTracker
    tokens: Tokens
    clock: FakeClock
    webhooks: bool
    secret: str
    doorway: _Doorway
    people: Mapping[str, Person]
    faults: Faults
    hook: int
    playbook: Path = PLAYBOOK
    slots: int = 4
    brakes: BrakeSettings = field(default_factory=BrakeSettings)
    database: str = ""
    app: AppIdentity | None = None
    served: tuple[str, ...] = (REPOSITORY,)
    pulse: asyncio.Event = field(default_factory=asyncio.Event)
    paces: set[float] = field(default_factory=set)
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
            repositories=self.served,
            playbooks=(self.playbook,),
            database=Database(url=SecretStr(self.database)),
            tracker=TrackerSettings(url=ADDRESS, pace="none", app_id=0 if self.app is None else self.app.id),
            brakes=self.brakes,
            settings=Settings(
                sweep=1 if not self.webhooks else 3_600_000,
                sweep_calls=10_000,
                grace=1_000,
                job_concurrency=self.slots,
                budget_ceiling={"usd": 12},
            ),
            token=SecretStr(self.tokens.of(BOT) if self.app is None else ""),
            app_key=SecretStr("" if self.app is None else self.app.key),
            secrets=(SecretStr(self.secret),),
        )

    @asynccontextmanager
    async def bot(self) -> AsyncIterator[Host]:
        """Run the bot."""
        around = Surroundings(
            clock=self.clock,
            runner=InlineRunner(),
            transport=self.faults,
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
        for _ in range(MOST):
            news = await self.turn()
            if await check():
                return
            quiet = 0 if news or self.up.wheels.woken.is_set() else quiet + 1
            if quiet > LONG:
                break
            if quiet > QUIET and await self._driving():
                await self._wait_for_a_program(description)
        raise AssertionError(f"nothing happens any more, and still not: {description}")

    async def settle(self) -> None:
        """Turn the wheel until nothing happens any more. Raises when that does not come."""
        quiet = 0
        for _ in range(MOST):
            news = await self.turn()
            quiet = 0 if news or self.up.wheels.woken.is_set() else quiet + 1
            if quiet > QUIET:
                return
        raise AssertionError("something happens again and again")

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

    async def begin(self, title: str = "Fix the greeting", body: str = "It says wrold.") -> Thread:
        """Open an issue with the label that starts work on it, both as the developer."""
        thread = await self.issue(title, body)
        await self.label(thread)
        return thread

    async def labelled(self, thread: Thread, name: str) -> None:
        """Turn the wheel until a thread has a label."""

        async def check() -> bool:
            return name in await thread.labels()

        await self.until(f"labelled {name}", check)

    async def at_work(self, thread: Thread) -> None:
        """Turn the wheel until an agent's program runs for a thread, and its label says so."""

        def running(tx: Tx) -> bool:
            live = tx.executions.live()
            return any(each.phase is Phase.RUNNING and tx.works.get(each.work).number == thread.number for each in live)

        await self.until("at work", lambda: self.up.store.read(running))
        await self.labelled(thread, "state:building")

    async def said(self, thread: Thread, text: str) -> None:
        """Turn the wheel until a comment in a thread says something."""
        await self.until(f"said {text!r}", lambda: thread.says(text))

    async def ended(self, thread: Thread, *, works: int = 1) -> None:
        """Turn the wheel until a thread has had so much Work, all of it has ended, and nothing is left to say."""

        async def check() -> bool:
            found = await self.works(thread)
            return len(found) == works and all(work.state.final for work in found)

        await self.until(f"ended {works}", check)
        await self.settle()

    async def works(self, thread: Thread) -> Sequence[Work]:
        """Return the Work of a thread, oldest first."""
        found = await self.up.store.read(lambda tx: tx.works.recent())
        return [work for work in reversed(found) if work.number == thread.number]

    async def ours(self, thread: Thread) -> list[str]:
        """Return what the bot has written in a thread, oldest first."""
        return [comment["body"] for comment in await thread.comments() if comment["user"]["login"] == BOT]

    async def deliveries(self, event: str, action: str | None = None) -> list[Delivery]:
        """Return what the tracker has sent of an event, oldest first."""
        sent = await self.tracker.deliveries(REPOSITORY, self.hook)
        return [each for each in reversed(sent) if each.event == event and action in {None, each.action}]

    async def post(self, delivery: Delivery, **changes: object) -> httpx.Response:
        """Send a delivery to the bot once more, with a guid of its own; ``changes`` are made to its payload."""
        payload = json.dumps({**json.loads(delivery.payload), **changes})
        again = replace(delivery, guid=secrets.token_hex(16), payload=payload)
        return await self.send(again)

    async def send(self, delivery: Delivery, *, to: ASGIApp | None = None) -> httpx.Response:
        """Send a delivery as it is, to the bot or to another receiver."""
        transport = httpx.ASGITransport(to or self.up.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://bot.test") as client:
            content = delivery.payload.encode()
            return await client.post("/webhooks/github", content=content, headers=headers(delivery))

    async def _driving(self) -> bool:
        """Whether a program runs, or is being stopped."""
        now = self.clock.now()

        def programs(tx: Tx) -> bool:
            return bool(tx.executions.unconfirmed()) or any(each.lease_until > now for each in tx.executions.live())

        return await self.up.store.read(programs)

    async def _wait_for_a_program(self, description: str) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                await self.up.wheels.woken.wait()
        except TimeoutError as error:
            raise AssertionError(f"the program does not end, and still not: {description}") from error

    async def _ticks(self, milliseconds: float) -> AsyncIterator[None]:
        self.paces.add(milliseconds)
        while True:
            await self.pulse.wait()
            self.pulse.clear()
            yield


@asynccontextmanager
async def open_stage(
    directory: Path, *, webhooks: bool = True, playbook: Path = PLAYBOOK, slots: int = 4, database: str = ""
) -> AsyncIterator[Stage]:
    """
    Set the stage: the tracker with its people and its webhook; the bot is not up yet.

    ``database`` is the URL of its database, empty for a file.
    """
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
        hook = await tracker.create_hook(REPOSITORY, "http://bot.test/webhooks/github", secret)
        watched = Watched(httpx.ASGITransport(tracker.app))
        # At the very end of a test, also of one that fails: what was not as published may be the reason.
        stack.callback(watched.settle)
        yield Stage(
            directory=directory,
            tracker=tracker,
            tokens=tokens,
            clock=clock,
            webhooks=webhooks,
            secret=secret,
            doorway=doorway,
            people=people,
            faults=Faults(watched),
            hook=hook.id,
            playbook=playbook,
            slots=slots,
            database=database,
        )
