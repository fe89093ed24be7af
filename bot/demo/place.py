"""The directory of a demo: made anew by each one, and by one at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ConfigError

MARK = "trackside-demo"
"""The file by which a demo knows its own directories, and that it locks as long as it runs."""


@contextmanager
def demo_directory(directory: Path) -> Iterator[None]:
    """
    Empty the directory for a demo, and keep other demos away from it.

    Raises ``ConfigError`` when a demo runs in it already, or when what is in it is not a demo's.
    """
    mark = directory / MARK
    try:
        if directory.exists() and any(directory.iterdir()) and not mark.exists():
            raise ConfigError(f"{directory} holds something else than a demo; name another --directory")
        directory.mkdir(parents=True, exist_ok=True)
        handle = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(f"{directory} cannot be used: {error.strerror}; name another --directory") from error
    try:
        _lock(handle, directory)
        for entry in directory.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry != mark:
                entry.unlink()
        yield
    finally:
        os.close(handle)


def _lock(handle: int, directory: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ConfigError(f"a demo runs in {directory} already; end it, or name another --directory") from error
