"""Tells how far behind the schema of a database file is, and changes nothing about the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bot.storage.migrate import Migration, pending
from bot.storage.sqlite.faults import translated
from bot.storage.statements import Statements


def lacking(path: Path, statements: Statements, migrations: Sequence[Migration]) -> int | None:
    """
    Return how many migrations the file lacks, None when there is no file.

    Raises ``MigrationError`` when the file cannot be brought to this version, ``StorageError`` when it cannot be read.
    """
    if not path.is_file():
        return None
    # Without a log nobody has the file open, and a connection that may lock it would leave a log of its own behind.
    opened = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.resolve().as_uri()}?mode=ro{'' if opened else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            if not connection.execute(statements.get("control_has_schema").text).fetchall():
                return len(migrations)
            rows = connection.execute(statements.get("schema_applied").text).fetchall()
    except sqlite3.Error as fault:
        raise translated(fault, f"cannot read {path}") from fault
    return len(pending(migrations, {version: checksum for version, _, checksum in rows}))
