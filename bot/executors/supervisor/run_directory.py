"""
The directory of one launch: everything that is known about its run.

``runs/<execution>/<epoch>/`` holds

=============== ============== ==================================================================
order.json      by the host    what was ordered, without secrets
prompt.md       by the host    the prompt; previous.json: what earlier turns left
launch.json     by the monitor *claimed* before anything starts: of all launches, one exists
process.json    by the monitor the command's process, recorded before the command runs
log             by the command its output, as it came
spool/          by the command turns declared while the host could not be reached
stop.json       by the host    the attempt is to stop, and no launch up to this epoch may start
exit.json       by the monitor how the run ended; written when no process of it is left
lifeline        by the monitor a fifo that it holds open while it lives
=============== ============== ==================================================================

A launch and a stop can meet. The monitor claims ``launch.json`` and *then* looks for ``stop.json``; a stop
writes ``stop.json`` and *then* looks for ``launch.json``: at least one of the two sees the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bot.executors.processes.identity import Identity
from bot.executors.supervisor import files
from bot.executors.supervisor.exit_record import Exit

DEFAULT_GRACE = 10_000


class Launch(NamedTuple):
    """The one launch of a directory: who monitors it, and for which order."""

    key: str
    monitor: Identity


class RunDirectory:
    """
    The paths and records of one launch.

    Reading raises ``ValueError`` for a record that cannot be understood: it proves nothing either way.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.order = path / "order.json"
        self.prompt = path / "prompt.md"
        self.previous = path / "previous.json"
        self.log = path / "log"
        self.spool = path / "spool"
        self.lifeline = path / "lifeline"
        self._launch = path / "launch.json"
        self._process = path / "process.json"
        self._stop = path / "stop.json"
        self._exit = path / "exit.json"

    @property
    def epoch(self) -> int:
        """The epoch of the launch."""
        return int(self.path.name)

    def make(self) -> None:
        """Make the directory. Only this user may look inside."""
        self.spool.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)

    def claim_launch(self, launch: Launch) -> bool:
        """Record the launch if it is the first one; return whether it is."""
        record = {"version": 1, "key": launch.key, "monitor": launch.monitor.record()}
        return files.claim_record(self._launch, record)

    def was_launched(self) -> bool:
        """Return whether there was a launch, and so will never be another."""
        return self._launch.exists()

    def launch(self) -> Launch | None:
        """Return the launch, or None when there was none."""
        record = files.read_record(self._launch)
        if record is None:
            return None
        key, monitor = record.get("key"), Identity.parse(record.get("monitor"))
        if not isinstance(key, str) or monitor is None:
            raise ValueError(f"{self._launch} is not the record of a launch")
        return Launch(key, monitor)

    def record_process(self, process: Identity) -> None:
        """Record the command's process."""
        files.write_record(self._process, process.record())

    def process(self) -> Identity | None:
        """Return the command's process, or None when none was recorded."""
        return Identity.parse(files.read_record(self._process))

    def request_stop(self, grace: int) -> None:
        """Record that the attempt is to stop, with ``grace`` milliseconds between TERM and KILL."""
        files.write_record(self._stop, {"version": 1, "grace": grace})

    def is_to_stop(self) -> bool:
        """Return whether this epoch was told to stop."""
        return self._stop.exists()

    def grace(self) -> int:
        """Return the grace of the requested stop in milliseconds."""
        record = files.read_record(self._stop) or {}
        grace = record.get("grace")
        return grace if isinstance(grace, int) and grace >= 0 else DEFAULT_GRACE

    def stop_forbids_launch(self) -> bool:
        """Return whether this epoch, or a later one of the same attempt, was told to stop."""
        return any(run.is_to_stop() for run in launches(self.path.parent) if run.epoch >= self.epoch)

    def record_exit(self, end: Exit) -> None:
        """Record how the run ended; the first record stays."""
        files.claim_record(self._exit, end.record())

    def exit(self) -> Exit | None:
        """Return how the run ended, or None when it has not, or nobody could tell."""
        record = files.read_record(self._exit)
        return None if record is None else Exit.parse(record)


def launches(attempt: Path) -> Iterator[RunDirectory]:
    """Return the directories of an attempt, one for each epoch that was launched or told to stop."""
    if attempt.is_dir():
        for entry in attempt.iterdir():
            if entry.name.isdecimal():
                yield RunDirectory(entry)
