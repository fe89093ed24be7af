"""The statements of one SQLite transaction, as a change or a query sees them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from bot.errors import StorageError
from bot.storage.sql import Row, Value
from bot.storage.sqlite.faults import FAULTS, translated
from bot.storage.statements import Statements

T = TypeVar("T")


class Session:
    """Runs named statements while its transaction is open. It is ``bot.storage.sql.Sql`` for SQLite."""

    def __init__(self, connection: sqlite3.Connection, statements: Statements) -> None:
        self._connection = connection
        self._statements = statements
        self._over = False

    def one(self, name: str, /, **values: Value) -> Row | None:
        """Return the first row of the statement's answer, or None when there is none."""
        return self._execute(name, values, _first)

    def all(self, name: str, /, **values: Value) -> list[Row]:
        """Return every row of the statement's answer, in its order."""
        return self._execute(name, values, _rows)

    def run(self, name: str, /, **values: Value) -> int:
        """Return how many rows the statement inserted, changed or deleted; 0 for any other statement."""
        before = self._connection.total_changes
        affected = self._execute(name, values, _affected)
        if affected >= 0:
            return affected
        # The driver counts only for statements that begin with INSERT, UPDATE, DELETE or REPLACE, so not for
        # one that begins with WITH. SQLite's own count is stale after anything that wrote nothing.
        if self._connection.total_changes == before:
            return 0
        return self._execute("control_affected", {}, _number)

    def end(self) -> None:
        """Refuse statements from now on: the function that this was given to has returned."""
        self._over = True

    def _execute(self, name: str, values: dict[str, Value], take: Callable[[sqlite3.Cursor], T]) -> T:
        if self._over:
            raise StorageError(f"{name}: the transaction is over")
        # A full disk or RAISE(ROLLBACK) ends the transaction in the middle of a change. Whatever the change
        # still ran after that would commit by itself, statement by statement.
        if not self._connection.in_transaction:
            raise StorageError(f"{name}: the transaction was lost; nothing of it was written")
        statement = self._statements.get(name)
        statement.check(values)
        try:
            cursor = self._connection.execute(statement.text, values)
            try:
                return take(cursor)
            finally:
                cursor.close()
        except FAULTS as fault:
            raise translated(fault, name) from fault


def _first(cursor: sqlite3.Cursor) -> Row | None:
    row = cursor.fetchone()
    return None if row is None else dict(zip(_columns(cursor), row, strict=True))


def _rows(cursor: sqlite3.Cursor) -> list[Row]:
    rows = cursor.fetchall()
    if not rows:
        return []
    columns = _columns(cursor)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _affected(cursor: sqlite3.Cursor) -> int:
    cursor.fetchall()
    return cursor.rowcount


def _number(cursor: sqlite3.Cursor) -> int:
    return int(cursor.fetchone()[0])


def _columns(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]
