"""
What host and supervisor say to each other: one line of JSON, one line back, and the connection ends.

An answer only says that the files of the run are worth reading now.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from bot.executors.supervisor.command import Command
from bot.executors.supervisor.files import encode
from bot.executors.supervisor.monitor import LaunchOrder
from bot.executors.supervisor.run_directory import RunDirectory

SOCKET = "supervisor.sock"
LINE_LIMIT = 8 * 1024 * 1024
DONE = b"{}\n"


class Settle(NamedTuple):
    """Answer when nothing is left of this run, whose monitor was lost, or when that cannot be told."""

    run: RunDirectory


def encode_launch(order: LaunchOrder) -> bytes:
    """Return the request to launch an order."""
    command = order.command
    return encode(
        {
            "op": "run",
            "key": order.key,
            "run": str(order.run.path),
            "argv": command.argv,
            "environment": dict(command.environment),
            "directory": command.directory,
        }
    )


def encode_settle(run: RunDirectory) -> bytes:
    """Return the request to settle a lost run."""
    return encode({"op": "settle", "run": str(run.path)})


def decode(line: bytes) -> LaunchOrder | Settle:
    """Return a request. Raises ``ValueError`` or ``KeyError`` for a line that is none."""
    request = json.loads(line)
    run = RunDirectory(Path(request["run"]))
    if request["op"] == "settle":
        return Settle(run)
    if request["op"] != "run":
        raise ValueError("there is no such request")
    command = Command(request["argv"], request["environment"], request["directory"], run.log)
    return LaunchOrder(request["key"], run, command)
