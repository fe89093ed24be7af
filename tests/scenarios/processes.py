"""The processes that a scenario's bot has started, found by its directory, and ended by their own ids."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path


def of(directory: Path) -> Iterator[tuple[int, str]]:
    """Yield the id and command line of every process that names the directory, or works in it."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            place = str((entry / "cwd").readlink())
        except OSError:
            continue
        if str(directory) in command or place.startswith(str(directory)):
            yield int(entry.name), command


def runs(directory: Path) -> list[str]:
    """Return the command lines of runs: all but the supervisor itself."""
    return [command for _, command in of(directory) if "bot.executors.supervisor" not in command]


def assert_none_left(directory: Path) -> None:
    """End the supervisor, and fail when a run is still there."""
    left = runs(directory)
    end(directory)
    assert left == []


def end(directory: Path) -> None:
    """End all of them at once, as the end of their machine would."""
    for identity, _ in list(of(directory)):
        os.kill(identity, signal.SIGKILL)
