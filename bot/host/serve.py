"""The long-running process: uvicorn in front, the loop behind, both ended in order by SIGTERM."""

from __future__ import annotations

import asyncio
import signal

import structlog
import uvicorn

from bot.clock import SystemClock
from bot.host.app import Surroundings, open_host
from bot.host.config import Config
from bot.host.quiet import QuietServer

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_log = structlog.get_logger(__name__)


async def serve(config: Config, around: Surroundings | None = None) -> None:
    """
    Serve until SIGTERM or SIGINT; a second signal ends at once. ``around`` is for tests.

    On the first one nothing new is admitted: the requests under way are answered, the leases are given back,
    the runs go on under their supervisor and are adopted by the next host.
    """
    address = f"http://{config.server.host}:{config.server.port}"
    async with open_host(config, around or Surroundings(clock=SystemClock(), api=address)) as host:
        settings = uvicorn.Config(
            host.app,
            host=config.server.host,
            port=config.server.port,
            loop="asyncio",
            http="httptools",
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        server = QuietServer(settings)
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, _on_signal, loop, stop)
        _log.info("serving", address=address, repositories=list(config.repositories))
        turning = asyncio.create_task(host.wheels.run(stop))
        serving = asyncio.create_task(server.serve())
        await asyncio.wait({turning, serving}, return_when=asyncio.FIRST_COMPLETED)
        stop.set()
        server.should_exit = True
        await asyncio.gather(turning, serving)
    _log.info("stopped")


def _on_signal(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    stop.set()
    for number in _SIGNALS:
        # The next one has its ordinary effect: the end, at once.
        loop.remove_signal_handler(number)
