"""A run that was started or adopted, seen through its files and its monitor's process."""

from __future__ import annotations

import asyncio
import signal

from bot.clock import MINUTE
from bot.domain.result import Result
from bot.errors import ExecutorError
from bot.executors.processes.ended import ended
from bot.executors.processes.identity import Identity
from bot.executors.supervisor.exit_record import End, Exit
from bot.executors.supervisor.run_directory import RunDirectory
from bot.executors.toolbelt import spool


class RunHandle:
    """A handle needs no connection to anybody: it can be dropped and made anew at any time."""

    def __init__(self, run: RunDirectory, monitor: Identity) -> None:
        self._run = run
        self._monitor = monitor

    async def wait(self) -> Result:
        """
        Wait for the end of the run.

        The result's turn is what the run spooled, and is newer than any turn that it declared over HTTP.
        Raises ``ExecutorError`` with the code ``lost`` when nobody saw the end.
        """
        await ended(self._monitor, self._run.lifeline)
        return await asyncio.to_thread(self._result)

    def _result(self) -> Result:
        try:
            end = self._run.exit()
        except ValueError as error:
            raise ExecutorError(f"the exit record cannot be read: {error}", code="lost") from error
        if end is None or end.end is End.LOST:
            raise ExecutorError("the run's monitor was killed; how it ended is not known", code="lost")
        return Result(
            ok=end.end is End.EXITED and end.code == 0,
            summary=summarise(end),
            turn=spool.latest(self._run.spool),
            permanent=end.permanent,
            units={"minutes": max(0, end.ended_at - end.started_at) / MINUTE},
        )


def summarise(end: Exit) -> str:
    """Return one line that says how a run ended."""
    if end.end is End.STOPPED:
        return "stopped"
    if end.end is End.REFUSED:
        return "stopped before it was started"
    if end.end is End.UNSTARTABLE or end.code is None:
        return f"could not be started: {end.reason}"
    if end.code >= 0:
        return f"exit code {end.code}"
    try:
        name = f" ({signal.Signals(-end.code).name})"
    except ValueError:
        # a real-time signal, which has a number only
        name = ""
    return f"killed by signal {-end.code}{name}"
