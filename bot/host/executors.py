"""The executors that there are: the one list of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bot.executors.contract import Executor
from bot.executors.shell.executor import ShellExecutor


def executors(data: Path, *, grace: int) -> Mapping[str, Executor]:
    """
    Return the executors by name. Nothing is made or started yet.

    Each keeps its runs below ``data``, in a directory of its name. ``grace`` is the time between the request to stop
    a run and its end, in milliseconds.
    """
    name = "shell"
    return {name: ShellExecutor(data / name, name=name, pool="jobs", grace=grace)}
