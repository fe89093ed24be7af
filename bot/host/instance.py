"""
Who this host is.

One process at a time serves a data directory: it holds a lock on it, which the kernel frees when the process
dies, however it dies. So the next one knows that the leases of the same name belong to nobody, and need not
wait until they lapse.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import ConfigError
from bot.ids import new_id


@contextmanager
def instance(data: Path) -> Iterator[str]:
    """
    Lock the data directory for the life of the host, and yield the name under which it claims.

    The directory is made when it is not there. Raises ``ConfigError`` when another process serves it, and when it
    cannot be written.
    """
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(data / "instance", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(f"{data}: cannot be used for `data`: {error.strerror}") from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"{data}: another Trackside serves this directory; stop it, or set another `data`"
            raise ConfigError(message) from error
        yield _name(handle, data)
    finally:
        os.close(handle)


def _name(handle: int, data: Path) -> str:
    """Return the name that is kept in the locked file, writing one when it is new."""
    try:
        name = os.read(handle, 100).decode(errors="replace").strip()
        if not name:
            name = new_id("host")
            os.write(handle, name.encode())
            os.fsync(handle)
    except OSError as error:
        raise ConfigError(f"{data}: cannot be used for `data`: {error.strerror}") from error
    return name
