"""
The supervisor's children: monitors, and what a killed monitor leaves.

The supervisor is a subreaper too. When a monitor is killed, all that it watched over becomes the
supervisor's by the time the monitor's own end is seen. Nobody can report on those processes any more, so
they are ended; when none is left, that is proven, and written down in the monitor's stead.
"""

from __future__ import annotations

import os
import signal
import traceback

from bot.clock import SystemClock
from bot.executors.processes.identity import send
from bot.executors.processes.tree import descendants
from bot.executors.supervisor.exit_record import End, Exit
from bot.executors.supervisor.run_directory import RunDirectory

_CLOCK = SystemClock()


class Family:
    """Knows which child is whose monitor."""

    def __init__(self) -> None:
        self._monitors: dict[int, RunDirectory] = {}
        self._lost: list[RunDirectory] = []

    @property
    def empty(self) -> bool:
        """Whether there is nobody to look after."""
        return not self._monitors and not self._lost

    def adopt(self, pid: int, run: RunDirectory) -> None:
        """Take note of a monitor that was forked just now."""
        self._monitors[pid] = run

    def is_settled(self, run: RunDirectory) -> bool:
        """Return whether all is said about a run, as far as this supervisor can tell."""
        return run.path not in {lost.path for lost in self._lost}

    def look(self) -> None:
        """Take note of every child that ended. Called whenever one did."""
        while (ended := self._reap()) is not None:
            run = self._monitors.pop(ended, None)
            if run is not None and _ended_unseen(ended, run):
                self._lost.append(run)
        if self._lost:
            self._end_orphans()

    def _reap(self) -> int | None:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return None
        return pid or None

    def _end_orphans(self) -> None:
        orphans = descendants(os.getpid(), without=self._monitors.keys())
        for orphan in orphans:
            send(orphan, signal.SIGKILL)
        if not orphans:
            for run in self._lost:
                _record_loss(run)
            self._lost.clear()


def _record_loss(run: RunDirectory) -> None:
    now = _CLOCK.now()
    try:
        run.record_exit(Exit(End.LOST, now, now, reason="its monitor was killed"))
    except OSError:
        # without a record the loss stays unproven, which costs a slot; failing here would cost every run
        traceback.print_exc()


def _ended_unseen(pid: int, run: RunDirectory) -> bool:
    try:
        launch = run.launch()
        return launch is not None and launch.monitor.pid == pid and run.exit() is None
    except (OSError, ValueError):
        # the directory was removed or spoilt; whatever the monitor left is ended all the same
        return True
