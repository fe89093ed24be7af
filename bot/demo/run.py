"""
``trackside demo``: the tracker in this process, the bot as a process of its own beside it.

The bot is started as anyone would start it, with a configuration file and two secrets in its environment, so
that the demo shows the real thing.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import uvicorn

from bot.clock import SystemClock
from bot.demo.story import Cast, Check, Person, work_is_approved_and_done, work_is_refused, work_is_stopped
from bot.demo.world import BOT, DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens, furnish
from bot.errors import TracksideError
from bot.host.config import SECRETS, TOKEN
from bot.host.quiet import QuietServer
from bot.trackers.embedded.tracker import EmbeddedTracker

PATIENCE = 60.0
"""Seconds that one step of the story may take."""
LOOK = 0.1
"""Seconds between two looks at the thread."""

_CONFIG = """\
data = "bot"
repositories = ["{repository}"]
playbooks = ["{playbook}"]

[server]
port = {port}

[tracker]
url = "{tracker}"

[settings]
grace = "2s"
"""


async def run_demo(directory: Path, *, port: int, once: bool) -> int:
    """
    Run the demo until it is interrupted, or with ``once`` until its story is told. Returns an exit code.

    ``directory`` is made anew: what an earlier demo left in it is removed.
    """
    _clear(directory)
    address = f"http://127.0.0.1:{port}"
    async with (
        httpx.AsyncClient(timeout=10) as client,
        EmbeddedTracker.open(
            directory / "tracker.db", directory / "git", clock=SystemClock(), client=client, base_url=address
        ) as tracker,
        _served(tracker, port),
    ):
        tokens = await furnish(tracker)
        delivering = asyncio.create_task(tracker.run_deliveries())
        try:
            async with _bot(directory, tracker, tokens, address):
                return await (_tell(address, tokens) if once else _until_interrupted(address))
        finally:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)


def _clear(directory: Path) -> None:
    mark = directory / "trackside-demo"
    if directory.exists() and any(directory.iterdir()) and not mark.exists():
        raise TracksideError(f"{directory} holds something else than a demo; name another --directory")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    mark.touch()


@asynccontextmanager
async def _served(tracker: EmbeddedTracker, port: int) -> AsyncIterator[None]:
    config = uvicorn.Config(
        tracker.app, host="127.0.0.1", port=port, loop="asyncio", lifespan="off", log_level="warning", access_log=False
    )
    server = QuietServer(config)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        raise TracksideError(f"port {port} is taken; name another one with DEMO_PORT") from error
    serving = asyncio.create_task(server.serve([listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving
        listening.close()


@asynccontextmanager
async def _bot(directory: Path, tracker: EmbeddedTracker, tokens: Tokens, address: str) -> AsyncIterator[None]:
    port = _free_port()
    secret = secrets.token_hex(32)
    playbook = Path(__file__).with_name("playbook.md")
    config = directory / "trackside.toml"
    config.write_text(
        _CONFIG.format(repository=REPOSITORY, playbook=playbook, port=port, tracker=address), encoding="utf-8"
    )
    await tracker.create_hook(REPOSITORY, f"http://127.0.0.1:{port}/webhooks/github", secret)
    with (directory / "bot.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot.cli",
            "serve",
            "--config",
            str(config),
            stdout=log,
            stderr=log,
            env={**os.environ, TOKEN: tokens.of(BOT), SECRETS: secret},
        )
        try:
            await _ready(port, process)
            yield
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            await process.wait()


async def _ready(port: int, process: asyncio.subprocess.Process) -> None:
    async with httpx.AsyncClient() as client, asyncio.timeout(PATIENCE):
        while process.returncode is None:
            try:
                answer = await client.get(f"http://127.0.0.1:{port}/readyz")
            except httpx.TransportError:
                await asyncio.sleep(LOOK)
                continue
            if answer.is_success:
                return
            await asyncio.sleep(LOOK)
    raise TracksideError("the bot did not start; its log is bot.log in the demo's directory")


async def _tell(address: str, tokens: Tokens) -> int:
    async with (
        _person(address, tokens, DEVELOPER) as developer,
        _person(address, tokens, MAINTAINER) as maintainer,
        _person(address, tokens, READER) as reader,
    ):
        cast = Cast(repository=REPOSITORY, developer=developer, maintainer=maintainer, reader=reader)
        _say(f"The tracker: {address}/{REPOSITORY}")
        try:
            for part in (work_is_approved_and_done, work_is_refused, work_is_stopped):
                thread = await part(cast, _wait)
                _say(f"  {address}/{REPOSITORY}/issues/{thread.number}")
        except TracksideError as error:
            _say(f"✗ {error}")
            return 1
    _say("The story is told.")
    return 0


@asynccontextmanager
async def _person(address: str, tokens: Tokens, login: str) -> AsyncIterator[Person]:
    headers = {"Authorization": f"Bearer {tokens.of(login)}"}
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=10) as client:
        yield Person(login, client)


async def _wait(description: str, check: Check) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not await check():  # noqa: ASYNC110 - a person looks again; the tracker tells nobody to
                await asyncio.sleep(LOOK)
    except TimeoutError as error:
        raise TracksideError(f"did not come true within {PATIENCE:.0f} s: {description}") from error
    _say(f"✓ {description}")


async def _until_interrupted(address: str) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    _say(
        f"""\
The tracker is at {address}/{REPOSITORY}

  1. Be {DEVELOPER}, open an issue, and add the label run:work-issue.
  2. Be {MAINTAINER}, and comment /approve.
  3. Look at the pull request that opens, and approve it.

Ctrl-C ends the demo."""
    )
    await stop.wait()
    return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
