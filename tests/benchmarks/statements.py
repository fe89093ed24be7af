"""The statements that only the benchmarks use, on top of the store's own."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bot.storage.statements import Layer, for_dialect

STATEMENTS = for_dialect("sqlite", Layer(package="tests.benchmarks", directory="sql"))


def count(database: Path, name: str) -> int:
    """Return the number that a statement answers with."""
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute(STATEMENTS.get(name).text).fetchone()[0])
