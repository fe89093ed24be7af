"""
``trackside demo``: the tracker in this process, the bot as a process of its own beside it.

With ``--once`` people of this process play the story on it, against the API, and then all ends.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import uvicorn

from bot.clock import SystemClock
from bot.demo.bot import bot
from bot.demo.place import demo_directory
from bot.demo.story import Cast, Check, Person, work_is_approved_and_done, work_is_refused, work_is_stopped
from bot.demo.world import DEVELOPER, MAINTAINER, READER, REPOSITORY, Tokens, furnish
from bot.errors import TracksideError
from bot.host.listen import address_of, listening
from bot.host.quiet import QuietServer
from bot.trackers.embedded.tracker import EmbeddedTracker

PATIENCE = 60.0
"""Seconds that one step of the story may take."""
LOOK = 0.1
"""Seconds between two looks at the thread."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


async def run_demo(directory: Path, *, port: int, once: bool) -> int:
    """
    Run the demo until it is interrupted, or with ``once`` until its story is told. Returns an exit code.

    ``directory`` is made anew: what an earlier demo left in it is removed. Whatever ends the demo, the bot and
    all that it started end with it. Raises ``ConfigError`` for a directory that cannot be used, and
    ``AddressError`` when the port is taken.
    """
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, interrupted.set)
    with listening("127.0.0.1", port, cure="name another port with DEMO_PORT") as listener, demo_directory(directory):
        playing = asyncio.create_task(_play(directory, listener, once=once))
        waiting = asyncio.create_task(interrupted.wait())
        await asyncio.wait({playing, waiting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (playing, waiting):
            task.cancel()
        try:
            return await playing
        except asyncio.CancelledError:
            return 1 if once else 0


async def _play(directory: Path, listener: socket.socket, *, once: bool) -> int:
    address = address_of(listener)
    async with (
        httpx.AsyncClient(timeout=10) as client,
        EmbeddedTracker.open(
            directory / "tracker.db", directory / "git", clock=SystemClock(), client=client, base_url=address
        ) as tracker,
        _served(tracker, listener),
    ):
        tokens = await furnish(tracker)
        delivering = asyncio.create_task(tracker.run_deliveries())
        try:
            async with bot(directory, tracker, tokens, address):
                return await (_tell(address, tokens) if once else _invite(address))
        finally:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)


@asynccontextmanager
async def _served(tracker: EmbeddedTracker, listener: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(tracker.app, loop="asyncio", lifespan="off", log_level="warning", access_log=False)
    server = QuietServer(config)
    serving = asyncio.create_task(server.serve([listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await serving


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


async def _invite(address: str) -> int:
    _say(
        f"""\
The tracker is at {address}/{REPOSITORY}

  1. Be {DEVELOPER}, open an issue, and add the label run:work-issue.
  2. Be {MAINTAINER}, and comment /approve.
  3. Look at the pull request that opens, and approve it.

Ctrl-C ends the demo."""
    )
    await asyncio.Event().wait()
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
