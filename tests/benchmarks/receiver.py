"""
The application of the real host over the real store, served: ``python -m tests.benchmarks.receiver DIRECTORY``.

Its wheels do not turn, so that what is measured is taking deliveries in and nothing else.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from pydantic import SecretStr
from starlette.types import ASGIApp

from bot.clock import SystemClock
from bot.host.app import Surroundings, open_host
from bot.host.config import Config
from tests.benchmarks.serving import serve_child


def _account(_request: httpx.Request) -> httpx.Response:
    """Answer who the bot is: all that a host asks of the tracker before its wheels turn."""
    return httpx.Response(200, json={"id": 12, "login": "trackside-bot", "type": "Bot"})


@asynccontextmanager
async def open_receiver(directory: Path, secret: str) -> AsyncIterator[ASGIApp]:
    """Put a host together, and yield its application."""
    config = Config(
        data=directory,
        repositories=("acme/shop",),
        token=SecretStr(secrets.token_hex(20)),
        secrets=(SecretStr(secret),),
    )
    async with open_host(config, Surroundings(clock=SystemClock(), transport=httpx.MockTransport(_account))) as host:
        yield host.app


if __name__ == "__main__":
    asyncio.run(serve_child(open_receiver, Path(sys.argv[1])))
