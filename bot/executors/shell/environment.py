"""
The environment of a run: an allow-list, never the host's own.

The host's environment holds what a run must not see: the tracker's key, the webhook's secret, the
database's address. So a run starts from nothing and gets the named variables, the binding's own, and the
few by which a program finds its order (ag-K04).
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

import bot
from bot.domain.result import Order
from bot.executors.shell.config import ShellConfig
from bot.executors.supervisor import files
from bot.executors.supervisor.run_directory import RunDirectory

_ROOT = Path(bot.__file__).parent.parent


def run_mark(run: RunDirectory) -> str:
    """Return the environment entry that all processes of a run have, unless they drop it."""
    return f"TRACKSIDE_RUN={run.path}"


def environment(
    order: Order, config: ShellConfig, run: RunDirectory, *, tools: Path, host: Mapping[str, str]
) -> dict[str, str]:
    """
    Return the whole environment of an order's program.

    ``host`` is the host's environment, of which the config's ``inherit`` is taken; ``tools`` is the
    directory in which ``trackside`` is found.
    """
    inherited = {name: host[name] for name in config.inherit if name in host}
    chosen = inherited | dict(order.environment) | config.env
    path = chosen.get("PATH") or os.defpath
    return chosen | {
        "PATH": f"{tools}:{path}",
        "TRACKSIDE_RUN": str(run.path),
        "TRACKSIDE_PROMPT": str(run.prompt),
        "TRACKSIDE_PREVIOUS": str(run.previous),
        "TRACKSIDE_WORK": order.work,
        "TRACKSIDE_ATTEMPT": str(order.attempt),
        "TRACKSIDE_ALLOWANCE": json.dumps(dict(order.allowance), sort_keys=True),
        "TRACKSIDE_API": order.api,
        "TRACKSIDE_RUN_TOKEN": order.token,
    }


def install_tools(tools: Path) -> None:
    """
    Put a ``trackside`` into ``tools`` that is this very installation.

    It looks for modules in this installation only: a run's directory is full of other people's code, and
    may well have a package of the same name.
    """
    program = shlex.join([sys.executable, "-P", "-m", "bot.cli"])
    script = f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(_ROOT))} exec {program} "$@"\n'.encode()
    command = tools / "trackside"
    if command.is_file() and command.read_bytes() == script:
        return
    tools.mkdir(mode=0o700, exist_ok=True)
    files.write(command, script)
    command.chmod(0o700)
