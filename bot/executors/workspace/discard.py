"""Removing a directory that a run has had: whatever it holds, it goes, and nothing outside of it is touched."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path


def discard(directory: Path) -> None:
    """
    Remove a directory and all that is in it, also what was made read-only; one that is missing is fine.

    Raises ``OSError`` when something cannot be removed.
    """
    if directory.is_symlink():
        directory.unlink()
        return
    shutil.rmtree(directory, onerror=_retry)


def _retry(call: Callable[..., object], path: str, info: tuple[object, BaseException, object]) -> None:
    error = info[1]
    if isinstance(error, FileNotFoundError):
        return
    if not isinstance(error, PermissionError):
        raise error
    # Read-only directories are common among what build tools leave: nothing in them can be removed.
    for place in (os.path.dirname(path), path):  # noqa: PTH120 - what rmtree gives is text
        if stat.S_ISDIR(os.lstat(place).st_mode):
            os.chmod(place, stat.S_IRWXU)  # noqa: PTH101 - as above
    if call in (os.rmdir, os.unlink):
        call(path)
    else:
        shutil.rmtree(path)
