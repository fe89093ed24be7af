"""
Turns declared while nobody listened.

One file for each declaration, numbered in their order; a number, not a time, as clocks step back. The run
may write here whatever it likes, so reading follows no link, waits for no fifo, takes no more than a turn
can measure, and passes over what is none.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from bot.domain.turn import Turn
from bot.executors.supervisor import files
from bot.executors.toolbelt import wire

_SUFFIX = ".json"


def put(directory: Path, turn: Turn) -> None:
    """Add a declaration. Raises ``OSError`` when it cannot be stored."""
    number = max((int(path.stem) for path in _spooled(directory)), default=0) + 1
    content = wire.encode(turn)
    while not files.claim(directory / f"{number}{_SUFFIX}", content):
        number += 1


def latest(directory: Path) -> Turn | None:
    """Return the last turn that was declared here, or None."""
    for path in sorted(_spooled(directory), key=lambda path: int(path.stem), reverse=True):
        try:
            return wire.decode(_read(path))
        except (OSError, ValueError):
            # not a declaration, whatever it is; an earlier one may be
            continue
    return None


def clear(directory: Path) -> None:
    """Drop all declarations: a newer one was made elsewhere."""
    for path in _spooled(directory):
        path.unlink(missing_ok=True)


def _spooled(directory: Path) -> list[Path]:
    if not directory.is_dir():
        return []
    return [path for path in directory.iterdir() if path.suffix == _SUFFIX and path.stem.isdecimal()]


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("a spooled turn is a plain file")
        content = file.read(wire.BODY_LIMIT + 1)
    if len(content) > wire.BODY_LIMIT:
        raise ValueError("a spooled turn is smaller")
    return content
