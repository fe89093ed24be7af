"""
``trackside serve`` as a service manager sees it: a process, its log, its exit code; and a tracker over a socket.

Waiting is on lines of the log and on the end of the process.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.types import ASGIApp

from bot.clock import SystemClock
from bot.demo.world import BOT, REPOSITORY
from bot.host.config import SECRETS
from bot.host.listen import address_of, listening
from bot.host.quiet import QuietServer
from bot.host.sections import TOKEN
from bot.trackers.embedded.tracker import EmbeddedTracker

PATIENCE = 60.0


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A tracker that knows the bot's account and no repository, its address, and the account's token."""

    tracker: EmbeddedTracker
    url: str
    token: str


@asynccontextmanager
async def tracker_desk(directory: Path) -> AsyncIterator[Desk]:
    with listening("127.0.0.1", 0, cure="") as listener:
        address = address_of(listener)
        async with (
            httpx.AsyncClient() as client,
            EmbeddedTracker.open(
                directory / "tracker.db", directory / "git", clock=SystemClock(), client=client, base_url=address
            ) as tracker,
        ):
            token = await tracker.add_user(BOT, bot=True)
            server = QuietServer(_settings(tracker.app))
            serving = asyncio.create_task(server.serve([listener]))
            try:
                yield Desk(tracker=tracker, url=address, token=token)
            finally:
                server.should_exit = True
                await serving


def _settings(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app, loop="asyncio", lifespan="off", log_config=None, access_log=False, timeout_graceful_shutdown=1
    )


def write_config(directory: Path, *, url: str, port: int = 0, **lines: str) -> Path:
    """Write a configuration; ``lines`` are more keys of the top level, as TOML."""
    more = "".join(f"{key} = {value}\n" for key, value in lines.items())
    path = directory / "trackside.toml"
    tables = f'server = {{port = {port}}}\ntracker = {{url = "{url}"}}\n'
    path.write_text(f'data = "bot"\nrepositories = ["{REPOSITORY}"]\n{more}{tables}')
    return path


@dataclass(kw_only=True)
class Service:
    """A process that serves, and the lines of its log that were read so far."""

    process: asyncio.subprocess.Process
    lines: list[str]

    async def event(self, name: str) -> dict[str, Any]:
        """Read the log until an event. Fails when the log ends before."""
        async with asyncio.timeout(PATIENCE):
            while line := await self._reader.readline():
                self.lines.append(line.decode().rstrip("\n"))
                if self.lines[-1].startswith("{") and (entry := json.loads(self.lines[-1]))["event"] == name:
                    return dict(entry)
        raise AssertionError(f"no {name} in the log: {self.lines}")

    async def ended(self) -> int:
        """Wait for the end, and return the exit code."""
        async with asyncio.timeout(PATIENCE):
            self.lines += (await self._reader.read()).decode().splitlines()
            return await self.process.wait()

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    @property
    def _reader(self) -> asyncio.StreamReader:
        assert self.process.stderr is not None
        return self.process.stderr


@asynccontextmanager
async def service(config: Path, token: str, *, program: Sequence[str] = ("-m", "bot.cli")) -> AsyncIterator[Service]:
    """Start ``serve``; what is left of it at the end is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *program,
        *("serve", "--config", str(config)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, TOKEN: token, SECRETS: secrets.token_hex(16)},
    )
    try:
        yield Service(process=process, lines=[])
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
