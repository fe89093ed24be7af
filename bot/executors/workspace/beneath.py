"""Reading files below a directory that a run has had, without being led out of it by a symlink or held up by a pipe."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def folder(directory: Path, *inside: str) -> Iterator[int]:
    """
    Open a directory, going down from ``directory`` by the names ``inside``.

    Raises ``OSError`` when one of them is missing, or is anything but a directory itself.
    """
    handle = os.open(directory, _FOLDER)
    try:
        for name in inside:
            further = os.open(name, _FOLDER, dir_fd=handle)
            os.close(handle)
            handle = further
        yield handle
    finally:
        os.close(handle)


@contextmanager
def subfolder(place: int, name: str) -> Iterator[int]:
    """Open a directory in an open directory. Raises ``OSError`` as ``folder`` does."""
    handle = os.open(name, _FOLDER, dir_fd=place)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def plain_file(place: int, name: str) -> Iterator[BinaryIO]:
    """Open a file in an open directory for reading. Raises ``OSError`` for anything but a plain file."""
    handle = os.open(name, _FILE, dir_fd=place)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", name)
    with os.fdopen(handle, "rb") as opened:
        yield opened


def names(place: int) -> list[str]:
    """Return the names in an open directory."""
    with os.scandir(place) as entries:
        return [entry.name for entry in entries]


def read_text(place: int, name: str, most: int) -> str | None:
    """
    Return up to ``most`` bytes of a file in an open directory, or None when it is missing.

    Raises ``OSError`` for anything but a plain file.
    """
    try:
        with plain_file(place, name) as opened:
            return opened.read(most).decode(errors="replace")
    except FileNotFoundError:
        return None
