"""
The host's side of the supervisor.

A request goes to whoever serves the state directory; when nobody does, a supervisor is started first. A
connection that ends without an answer says nothing: the caller reads the run's files.
"""

from __future__ import annotations

import asyncio
import os
import subprocess  # the argv below is fixed
import sys
from pathlib import Path

import bot
from bot.errors import ExecutorError
from bot.executors.supervisor import wire
from bot.executors.supervisor.monitor import LaunchOrder
from bot.executors.supervisor.run_directory import RunDirectory

ANSWER_TIMEOUT = 30.0
_ROOT = Path(bot.__file__).parent.parent
_ATTEMPTS = 3


class SupervisorClient:
    """Speaks to the supervisor of one state directory, which must exist."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    async def launch(self, order: LaunchOrder) -> None:
        """
        Have the order launched, unless its directory saw a launch before.

        Returns when it is known whether the command started. Raises ``ExecutorError`` with the code
        ``supervisor`` when that could not be learned: it may have been launched.
        """
        for _ in range(_ATTEMPTS):
            if await self._ask(wire.encode_launch(order), start=True):
                return
        raise ExecutorError("the supervisor does not answer", code="supervisor")

    async def settle(self, run: RunDirectory) -> None:
        """Wait until a lost run is settled; returns at once when no supervisor can tell."""
        await self._ask(wire.encode_settle(run), start=False)

    async def _ask(self, request: bytes, *, start: bool) -> bool:
        try:
            reader, writer = await self._connect(start=start)
        except OSError:
            return False
        try:
            async with asyncio.timeout(ANSWER_TIMEOUT):
                writer.write(request)
                return await reader.readline() == wire.DONE
        except TimeoutError:
            raise ExecutorError("the supervisor is stuck", code="supervisor") from None
        except OSError:
            return False
        finally:
            writer.close()

    async def _connect(self, *, start: bool) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await self._open()
        except OSError:
            if not start:
                raise
        await asyncio.to_thread(self._start)
        return await self._open()

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        # by way of a descriptor, as the directory's own path may be longer than a socket's address
        descriptor = os.open(self._directory, os.O_PATH | os.O_DIRECTORY)
        try:
            return await asyncio.open_unix_connection(f"/proc/self/fd/{descriptor}/{wire.SOCKET}")
        finally:
            os.close(descriptor)

    def _start(self) -> None:
        # without site-packages, as it needs the standard library only, and without this program's
        # environment, which may hold secrets
        argv = (sys.executable, "-S", "-P", "-X", "utf8", "-m", "bot.executors.supervisor")
        with (self._directory / "supervisor.log").open("ab") as log:
            try:
                subprocess.run(  # noqa: S603 - our own interpreter and a fixed argv
                    [*argv, "--directory", str(self._directory)],
                    env={"PYTHONPATH": str(_ROOT)},
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    check=True,
                    timeout=ANSWER_TIMEOUT,
                )
            except subprocess.SubprocessError as error:
                message = f"the supervisor did not start; see {log.name}"
                raise ExecutorError(message, code="supervisor") from error
