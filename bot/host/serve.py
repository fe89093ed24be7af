"""The long-running process: uvicorn in front, the loop behind, both ended in order by SIGTERM."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable

import structlog
import uvicorn

from bot.clock import SystemClock
from bot.errors import TracksideError
from bot.host.app import Host, Surroundings, open_host
from bot.host.config import Config
from bot.host.listen import address_of, listening
from bot.host.quiet import QuietServer

PATIENCE = 3
"""Seconds that requests and passes under way get to end by themselves."""

_SIGNALS = (signal.SIGTERM, signal.SIGINT)

_log = structlog.get_logger(__name__)


async def serve(
    config: Config, around: Surroundings | None = None, *, load: Callable[[], Config] | None = None
) -> None:
    """
    Serve until SIGTERM or SIGINT; a second signal ends at once. ``around`` is for tests.

    On SIGHUP the configuration is read anew by ``load``. One that cannot be used is said in the log, and the one
    before it goes on.

    On the first one nothing new is admitted: the requests under way are answered, the leases are given back,
    the runs go on under their supervisor and are adopted by the next host.

    Raises ``AddressError`` when the address is taken, and whatever ``open_host`` raises. A tracker that is down at
    the start is such an error too, and not waited for: a service manager tries again (``Restart=on-failure``), and
    until then its status says what is wrong instead of calling a bot active that can do nothing.
    """
    loop, hung_up = asyncio.get_running_loop(), asyncio.Event()
    # Without a handler the signal would end a bot that is starting yet; a service manager takes that for a clean end.
    loop.add_signal_handler(signal.SIGHUP, hung_up.set)
    with listening(config.server.host, config.server.port, cure="set another server.port") as listener:
        address = address_of(listener)
        async with open_host(config, around or Surroundings(clock=SystemClock(), api=address)) as host:
            stop = asyncio.Event()
            for number in _SIGNALS:
                loop.add_signal_handler(number, _on_signal, number, stop)
            loop.add_signal_handler(signal.SIGHUP, _on_hangup, host, load or (lambda: config))
            if hung_up.is_set():
                _on_hangup(host, load or (lambda: config))
            _log.info("serving", address=address, repositories=list(config.repositories))
            await _run(host, listener, stop)
    _log.info("ended")


async def _run(host: Host, listener: socket.socket, stop: asyncio.Event) -> None:
    settings = uvicorn.Config(
        host.app,
        loop="asyncio",
        http="httptools",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = QuietServer(settings)
    turning = asyncio.create_task(host.wheels.run(stop))
    serving = asyncio.create_task(server.serve([listener]))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({turning, serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stop.set()
    server.should_exit = True
    await asyncio.wait({turning}, timeout=PATIENCE)
    # A pass may be cut off anywhere: what it leaves undone is stored, and done by the next host.
    turning.cancel()
    for result in await asyncio.gather(turning, serving, stopping, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


def _on_hangup(host: Host, load: Callable[[], Config]) -> None:
    try:
        host.reload(load())
    except TracksideError as error:
        _log.error("reload_refused", reason=str(error))


def _on_signal(number: signal.Signals, stop: asyncio.Event) -> None:
    for each in _SIGNALS:
        asyncio.get_running_loop().remove_signal_handler(each)
        # The next one ends the process, at once and whatever it is doing.
        signal.signal(each, signal.SIG_DFL)
    stop.set()
    _log.info("stopping", signal=number.name)
