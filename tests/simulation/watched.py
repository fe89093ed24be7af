"""The statements of a transaction, and which tables they have written: what is not written need not be read again."""

from __future__ import annotations

import re
from functools import cache

from bot.storage.sql import Row, Sql, Value
from bot.storage.statements import Statements, for_dialect
from tests.simulation.snapshot import LAYER

_WRITES = re.compile(r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+([a-z_]+)")


@cache
def statements() -> Statements:
    """Return the statements of the store, with those of the simulation."""
    return for_dialect("sqlite", LAYER)


@cache
def written(name: str) -> frozenset[str]:
    """Return the tables that a statement writes."""
    return frozenset(_WRITES.findall(statements().get(name).text))


class Watched:
    """Stands for the statements of a transaction. ``tables`` are those that were written."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self.tables: set[str] = set()

    def one(self, name: str, /, **values: Value) -> Row | None:
        self.tables |= written(name)
        return self._sql.one(name, **values)

    def all(self, name: str, /, **values: Value) -> list[Row]:
        self.tables |= written(name)
        return self._sql.all(name, **values)

    def run(self, name: str, /, **values: Value) -> int:
        self.tables |= written(name)
        return self._sql.run(name, **values)
