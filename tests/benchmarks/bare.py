"""
The yardstick: a route that does nothing but one durable insert for each request, in a thread.

``python -m tests.benchmarks.bare DIRECTORY`` serves it as ``tests.benchmarks.receiver`` serves the real one.
"""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from starlette.types import Receive, Scope, Send

from tests.benchmarks.serving import serve_child
from tests.benchmarks.statements import STATEMENTS


@dataclass(frozen=True, kw_only=True)
class Bare:
    """An ASGI application. Its one thread commits each row by itself, before the request is answered."""

    connection: sqlite3.Connection
    thread: ThreadPoolExecutor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guid = next(value for name, value in scope["headers"] if name == b"x-github-delivery").decode()
        body, more = bytearray(), True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        await asyncio.get_running_loop().run_in_executor(self.thread, self._insert, guid, bytes(body))
        content = b'{"status": "accepted"}'
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": 202, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    def _insert(self, guid: str, payload: bytes) -> None:
        self.connection.execute(STATEMENTS.get("bare_insert").text, {"guid": guid, "payload": payload})


@asynccontextmanager
async def open_bare(directory: Path, _secret: str) -> AsyncIterator[Bare]:
    """Make a database that is as durable as the real one, and yield the application before it."""
    database = directory / "trackside.db"
    with (
        closing(sqlite3.connect(database, isolation_level=None, check_same_thread=False)) as connection,
        ThreadPoolExecutor(max_workers=1) as thread,
    ):
        for name in ("control_wal", "control_wal_limit", "control_durable", "bare_table"):
            connection.execute(STATEMENTS.get(name).text)
        yield Bare(connection=connection, thread=thread)


if __name__ == "__main__":
    asyncio.run(serve_child(open_bare, Path(sys.argv[1])))
