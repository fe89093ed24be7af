"""
Files that are whole or not there.

A file is written beside its place and moved there in one step, so that a reader never sees half of one.
``write`` replaces what stood there. ``claim`` moves it only where nothing stands yet: of any number of
writers, in any number of processes, one wins. Claims are what later decisions rest on, so they also survive
a loss of power; after one, nobody asks for what was merely written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Put a file in place, replacing what stood there."""
    _beside(path, content, durable=False).replace(path)


def write_record(path: Path, record: Mapping[str, object]) -> None:
    """Put a JSON record in place, replacing what stood there."""
    write(path, encode(record))


def claim(path: Path, content: bytes) -> bool:
    """Put a file in place for good if nothing stands there; return whether it was put."""
    beside = _beside(path, content, durable=True)
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        return False
    finally:
        beside.unlink()
    _sync_directory(path.parent)
    return True


def claim_record(path: Path, record: Mapping[str, object]) -> bool:
    """Put a JSON record in place for good if nothing stands there; return whether it was put."""
    return claim(path, encode(record))


def read_record(path: Path) -> dict[str, object] | None:
    """Return a JSON record, or None when there is none. Raises ``ValueError`` when it is not one."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    record = json.loads(content)
    if not isinstance(record, dict):
        raise ValueError(f"{path.name} does not hold a record")  # noqa: TRY004 - one error for all bad content
    return record


def encode(record: Mapping[str, object]) -> bytes:
    """Return a record as one line of JSON."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _beside(path: Path, content: bytes, *, durable: bool) -> Path:
    beside = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(descriptor)
    except BaseException:
        beside.unlink()
        raise
    return beside


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
