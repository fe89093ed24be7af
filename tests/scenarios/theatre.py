"""
A theatre: the embedded tracker over real sockets, and the bot as a real process that may be killed.

Waiting is on signals: a write of the bot at the tracker, or its end. When it was killed, it is started again, as a
service manager would do.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.clock import SystemClock
from bot.demo.story import Cast, Check, Person
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens, furnish
from bot.host.config import SECRETS
from bot.host.quiet import QuietServer
from bot.host.sections import TOKEN
from bot.trackers.embedded.tracker import EmbeddedTracker
from tests.scenarios.stage import PLAYBOOK

PATIENCE = 60.0
"""Real seconds without any sign of the bot after which it is given up."""

_CONFIG = """\
data = "bot"
repositories = ["{repository}"]
playbooks = ["{playbook}"]
server = {{port = {port}}}
tracker = {{url = "{tracker}", pace = "none"}}
settings = {{grace = "1s", sweep = "1s", lease = "{lease}"}}
"""


class Noticing:
    """An application that tells when a write to it was answered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.written = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)
        if scope["type"] == "http" and scope["method"] != "GET":
            self.written.set()


@dataclass(kw_only=True)
class Theatre:
    """The tracker, and the bot's process. ``point`` is where it is killed, once."""

    directory: Path
    tracker: EmbeddedTracker
    noticing: Noticing
    cast: Cast
    tokens: Tokens
    secret: str
    config: Path
    point: int
    killed: bool = False
    _process: asyncio.subprocess.Process | None = field(default=None)

    async def start(self) -> None:
        """Start the bot."""
        with (self.directory / "bot.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.scenarios.doomed",
                str(self.config),
                str(0 if self.killed else self.point),
                stdout=log,
                stderr=log,
                env={**os.environ, TOKEN: self.tokens.of(BOT), SECRETS: self.secret},
            )

    async def stop(self) -> None:
        """End the bot by SIGTERM."""
        process = self._running
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        assert await process.wait() in {0, -signal.SIGKILL}

    async def until(self, description: str, check: Check) -> None:
        """Wait until the check holds, looking again after each sign of the bot."""
        while True:
            self.noticing.written.clear()
            if await check():
                return
            ended = asyncio.create_task(self._running.wait())
            sign = asyncio.create_task(self.noticing.written.wait())
            done, _ = await asyncio.wait({ended, sign}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            for task in (ended, sign):
                task.cancel()
            await asyncio.gather(ended, sign, return_exceptions=True)
            if not done:
                raise AssertionError(f"no sign of the bot any more, and still not: {description}")
            if ended in done:
                await self._again()

    async def _again(self) -> None:
        code = await self._running.wait()
        assert code == -signal.SIGKILL, f"the bot ended by itself with {code}"
        assert not self.killed, "the bot was killed a second time"
        self.killed = True
        await self.start()

    @property
    def _running(self) -> asyncio.subprocess.Process:
        assert self._process is not None
        return self._process


@asynccontextmanager
async def open_theatre(directory: Path, *, point: int, lease: str = "1m") -> AsyncIterator[Theatre]:
    """Open the tracker and start the bot, which is to be killed at a point."""
    port, listening = _listening()
    address, secret = f"http://127.0.0.1:{port}", secrets.token_hex(32)
    async with AsyncExitStack() as stack:
        stack.callback(listening.close)
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=10))
        tracker = await stack.enter_async_context(
            EmbeddedTracker.open(
                directory / "tracker.db", directory / "git", clock=SystemClock(), client=client, base_url=address
            )
        )
        tokens = await furnish(tracker)
        noticing = Noticing(tracker.app)
        await stack.enter_async_context(_serving(noticing, listening))
        bot_port = _free_port()
        await tracker.create_hook(REPOSITORY, f"http://127.0.0.1:{bot_port}/webhooks/github", secret)
        delivering = asyncio.create_task(tracker.run_deliveries())
        stack.push_async_callback(_cancelled, delivering)
        config, playbook = directory / "trackside.toml", directory / "playbook.md"
        # A kill between the intent to launch and the launch itself fails the attempt: nothing proves that nothing
        # runs. The next attempt need not be waited for.
        playbook.write_text(PLAYBOOK.read_text(encoding="utf-8").replace("[5m, 10m]", "[1s, 1s]"), encoding="utf-8")
        config.write_text(
            _CONFIG.format(repository=REPOSITORY, playbook=playbook, port=bot_port, tracker=address, lease=lease),
            encoding="utf-8",
        )
        people = {}
        for login in (DEVELOPER, MAINTAINER, READER):
            headers = {"Authorization": f"Bearer {tokens.of(login)}"}
            person = httpx.AsyncClient(base_url=address, headers=headers, timeout=30)
            people[login] = Person(login, await stack.enter_async_context(person))
        cast = Cast(
            repository=REPOSITORY,
            developer=people[DEVELOPER],
            maintainer=people[MAINTAINER],
            reader=people[READER],
        )
        theatre = Theatre(
            directory=directory,
            tracker=tracker,
            noticing=noticing,
            cast=cast,
            tokens=tokens,
            secret=secret,
            config=config,
            point=point,
        )
        await theatre.start()
        stack.push_async_callback(theatre.stop)
        yield theatre


@asynccontextmanager
async def _serving(app: ASGIApp, listening: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(app, loop="asyncio", lifespan="off", log_level="warning", access_log=False)
    server = QuietServer(config)
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _listening() -> tuple[int, socket.socket]:
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    return int(listening.getsockname()[1]), listening


def _free_port() -> int:
    port, listening = _listening()
    listening.close()
    return port
