"""
The real bot, killed by its own hand: ``python -m tests.scenarios.doomed CONFIG POINT``.

A point is a moment right after an effect: a commit to its database, or a write to the tracker that was answered.
At the point with this number the process ends by SIGKILL, so that nothing after the effect happens: no answer is
recorded, no cleanup runs. Point 0 never comes.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import httpx

from bot.clock import SystemClock
from bot.host.app import Surroundings
from bot.host.config import load_config
from bot.host.serve import serve
from bot.log import configure_logging
from bot.storage.runner import Desk, Server, ThreadRunner

S = TypeVar("S")
T = TypeVar("T")


class Meter:
    """Counts effects, and ends the process at the one with the number ``point``."""

    def __init__(self, point: int) -> None:
        self._left = point

    def effect(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class MeteredTransport(httpx.AsyncBaseTransport):
    """Passes requests on; an answered write is an effect."""

    def __init__(self, meter: Meter) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._meter = meter

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self._inner.handle_async_request(request)
        if request.method != "GET":
            self._meter.effect()
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()


class MeteredDesk:
    """Passes changes on; a committed one is an effect."""

    def __init__(self, inner: Desk[S], meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    async def ask(self, work: Callable[[S], T]) -> T:
        answer: T = await self._inner.ask(work)  # type: ignore[arg-type]
        self._meter.effect()
        return answer

    async def close(self) -> None:
        await self._inner.close()


class MeteredRunner(ThreadRunner):
    """Meters the desk of the writer, which is the one with a single server."""

    def __init__(self, meter: Meter) -> None:
        super().__init__()
        self._meter = meter

    async def desk(self, open_server: Callable[[], Server[S]], *, servers: int, group: int) -> Desk[S]:
        desk = await super().desk(open_server, servers=servers, group=group)
        return MeteredDesk(desk, self._meter) if servers == 1 else desk


def main() -> None:
    """Serve until killed."""
    config = load_config(Path(sys.argv[1]))
    meter = Meter(int(sys.argv[2]))
    configure_logging(readable=False)
    around = Surroundings(
        clock=SystemClock(),
        api=f"http://{config.server.host}:{config.server.port}",
        runner=MeteredRunner(meter),
        transport=MeteredTransport(meter),
    )
    asyncio.run(serve(config, around))


if __name__ == "__main__":
    main()
