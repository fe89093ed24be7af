"""
The monitor of one run: a forked process that lives exactly as long as the run.

It is the subreaper of all that the command starts: whatever daemonises becomes its child and cannot leave.
So "no child is left" proves that no process of the run is left, and only then is the end written. It waits
by receiving signals, blocked beforehand, and so misses none and never polls. TERM to the monitor means:
stop the run.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from typing import NamedTuple

from bot.clock import SystemClock
from bot.executors.processes.identity import identify, send
from bot.executors.processes.tree import descendants
from bot.executors.supervisor import command
from bot.executors.supervisor.exit_record import End, Exit
from bot.executors.supervisor.run_directory import Launch, RunDirectory

_SET_CHILD_SUBREAPER = 36
_CLOCK = SystemClock()


class LaunchOrder(NamedTuple):
    """What a monitor is forked for."""

    key: str
    run: RunDirectory
    command: command.Command


def become_subreaper() -> None:
    """Make this process the new parent of every orphan among its descendants."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this kernel has no subreapers")


class Monitor:
    """Runs one command to its end. Lives in a process of its own, which has no other child."""

    def __init__(self, order: LaunchOrder) -> None:
        self._order = order
        self._run = order.run
        self._pid = 0
        self._code: int | None = None

    def launch(self) -> bool:
        """
        Start the command, if this launch is the first and not forbidden; return whether there is one.

        When it returns, everything that can be said of the launch stands in the run's directory.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM})
        os.setsid()
        become_subreaper()
        self._hold_lifeline()
        me = identify(os.getpid())
        if me is None or not self._run.claim_launch(Launch(self._order.key, me)):
            return False
        self._started_at = _CLOCK.now()
        if self._run.stop_forbids_launch():
            self._end(End.REFUSED)
            return False
        self._pid, failure = command.start(self._order.command, self._record_process)
        if failure is not None:
            self._clear()
            self._end(End.UNSTARTABLE, failure.reason, permanent=failure.permanent)
            return False
        return True

    def attend(self) -> None:
        """Wait for the command's end or for the order to stop, then leave nothing behind and say so."""
        stopped = self._wait()
        self._clear()
        self._end(End.STOPPED if stopped else End.EXITED)

    def _hold_lifeline(self) -> None:
        if not self._run.lifeline.exists():
            # the monitor of another launch of the same directory may make it just now
            with contextlib.suppress(FileExistsError):
                os.mkfifo(self._run.lifeline, 0o600)
        # never closed: the kernel does it when this process ends. Opened for both, as only that never waits
        os.open(self._run.lifeline, os.O_RDWR)

    def _record_process(self, pid: int) -> None:
        process = identify(pid)
        if process is not None:
            self._run.record_process(process)

    def _wait(self) -> bool:
        stopping = False
        while True:
            received = signal.sigwait({signal.SIGCHLD, signal.SIGTERM, signal.SIGALRM})
            if received == signal.SIGALRM:
                return True
            if received == signal.SIGTERM and not stopping:
                stopping = True
                grace = self._run.grace()
                self._terminate()
                if grace == 0:
                    return True
                signal.setitimer(signal.ITIMER_REAL, grace / 1000)
            nothing_left = self._reap()
            # a run that ends by itself ends with its command; one that is stopped may use its grace
            if self._code is not None and (nothing_left or not stopping):
                return stopping

    def _terminate(self) -> None:
        # when nobody is left in the command's group, others may be, elsewhere
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGTERM)

    def _clear(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        while not self._reap():
            for process in descendants(os.getpid()):
                send(process, signal.SIGKILL)
            signal.sigwait({signal.SIGCHLD})

    def _reap(self) -> bool:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self._pid:
                self._code = os.waitstatus_to_exitcode(status)

    def _end(self, end: End, reason: str = "", *, permanent: bool = False) -> None:
        self._run.record_exit(Exit(end, self._started_at, _CLOCK.now(), self._code, reason, permanent))
