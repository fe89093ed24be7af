"""Serving an application over a real socket, with the settings of the real host."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from bot.host.quiet import QuietServer
from bot.log import configure_logging


def listening() -> socket.socket:
    """Return a socket on a free port of this machine; until it is served, connections wait."""
    opened = socket.socket()
    opened.bind(("127.0.0.1", 0))
    opened.listen(128)
    return opened


def address(opened: socket.socket) -> str:
    """Return where a socket is reached."""
    return f"http://127.0.0.1:{opened.getsockname()[1]}"


@asynccontextmanager
async def serving(app: ASGIApp, opened: socket.socket) -> AsyncIterator[None]:
    """Serve an application until the block ends, and close the socket."""
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="httptools",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
    )
    server = QuietServer(config)
    with closing(opened):
        task = asyncio.create_task(server.serve([opened]))
        try:
            yield
        finally:
            server.should_exit = True
            await task


async def serve_child(open_app: Callable[[Path, str], AbstractAsyncContextManager[ASGIApp]], directory: Path) -> None:
    """
    Be a server in a process of its own, with its data in a directory.

    The secret is the first line of standard input, the port the first line of standard output. The server ends when
    its input does, so that it never outlives who started it.
    """
    configure_logging(level="warning", readable=False)
    secret = (await asyncio.to_thread(sys.stdin.readline)).strip()
    opened = listening()
    async with open_app(directory, secret) as app, serving(app, opened):
        print(opened.getsockname()[1], flush=True)  # noqa: T201 - this is how the port is told
        await asyncio.to_thread(sys.stdin.read)
