"""The executors that there are: the one list of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bot.executors.contract import Executor
from bot.executors.shell.executor import ShellExecutor

GRACE = 10_000
"""Milliseconds between the request to stop a run and its end, where the configuration says nothing else."""


def executors(data: Path, *, grace: int = GRACE) -> Mapping[str, Executor]:
    """Return the executors by name. Each keeps its runs below ``data``; nothing is made or started there yet."""
    shell = ShellExecutor(data / "shell", pool="jobs", grace=grace)
    return {shell.name: shell}
