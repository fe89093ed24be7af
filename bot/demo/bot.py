"""
The demo's bot: a process of its own, started as anyone would start it, so that the demo shows the real thing.

It is told by a configuration file, and by two secrets in its environment. A bot that ends leaves its runs to the next
one. After a demo there is none, so that they are ended here.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from bot.demo.world import BOT, REPOSITORY, Tokens
from bot.errors import TracksideError
from bot.executors.processes.identity import Identity, send
from bot.executors.supervisor.__main__ import RECORD
from bot.executors.supervisor.files import read_record
from bot.host.config import DATABASE, SECRETS
from bot.host.executors import executors
from bot.host.sections import TOKEN
from bot.ids import ExecutionId
from bot.trackers.embedded.tracker import EmbeddedTracker

PATIENCE = 60.0
"""Seconds that the bot may take to start."""
FAREWELL = 15.0
"""Seconds that it may take to end."""
GRACE = 2_000
"""Milliseconds between the request to stop a run and its end."""
LOOK = 0.1

_CONFIG = """\
data = "bot"
repositories = ["{repository}"]
playbooks = ["{playbook}"]

[server]
port = {port}

[tracker]
url = "{tracker}"
pace = "none"

[settings]
grace = "{grace}s"
"""


@asynccontextmanager
async def bot(directory: Path, tracker: EmbeddedTracker, tokens: Tokens, address: str) -> AsyncIterator[None]:
    """
    Run the bot beside a tracker at an address; all that it started is ended at the end.

    Raises ``TracksideError`` when it does not start.
    """
    port, secret = _free_port(), secrets.token_hex(32)
    config, log = directory / "trackside.toml", directory / "bot.log"
    _write(config, port, address)
    await tracker.create_hook(REPOSITORY, f"http://127.0.0.1:{port}/webhooks/github", secret)
    process = await _start(config, log, {TOKEN: tokens.of(BOT), SECRETS: secret})
    try:
        if not await _ready(port, process):
            raise TracksideError(f"the bot did not start; {log} says why")
        yield
    finally:
        await _end(process)
        await end_runs(directory / "bot")


def _write(config: Path, port: int, address: str) -> None:
    playbook = Path(__file__).with_name("playbook.md")
    text = _CONFIG.format(repository=REPOSITORY, playbook=playbook, port=port, tracker=address, grace=GRACE // 1000)
    config.write_text(text, encoding="utf-8")


async def _start(config: Path, log: Path, variables: dict[str, str]) -> asyncio.subprocess.Process:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "bot.cli", "serve", "--config", str(config)),
            stdout=descriptor,
            stderr=descriptor,
            env={**os.environ, DATABASE: "", **variables},
            # Ctrl-C at the terminal is for the demo, which then ends its bot in order.
            process_group=0,
        )
    finally:
        os.close(descriptor)


async def _ready(port: int, process: asyncio.subprocess.Process) -> bool:
    try:
        async with httpx.AsyncClient() as client, asyncio.timeout(PATIENCE):
            while process.returncode is None:
                if await _answers(client, f"http://127.0.0.1:{port}/readyz"):
                    return True
                await asyncio.sleep(LOOK)
    except TimeoutError:
        return False
    return False


async def _answers(client: httpx.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).is_success
    except httpx.TransportError:
        return False


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(FAREWELL):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def end_runs(data: Path) -> None:
    """End what a bot has left running in its data directory: the runs, and then what watched over them."""
    for executor in executors(data, grace=GRACE).values():
        for execution, epoch in _launches(data / executor.name):
            await executor.stop(execution, epoch)
        supervisor = Identity.parse(read_record(data / executor.name / RECORD))
        if supervisor is not None:
            # It would wait idly for the next host.
            send(supervisor, signal.SIGTERM)


def _launches(state: Path) -> list[tuple[ExecutionId, int]]:
    return [(ExecutionId(launch.parent.name), int(launch.name)) for launch in sorted(state.glob("runs/*/*"))]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
