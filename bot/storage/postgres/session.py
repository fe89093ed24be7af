"""The statements of one PostgreSQL transaction, as a change or a query sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import DictRow

from bot.errors import StorageError
from bot.storage.postgres.connect import Connection
from bot.storage.postgres.faults import FAULTS, translated
from bot.storage.postgres.texts import Texts
from bot.storage.sql import Row, UniqueViolation, Value

T = TypeVar("T")
Cursor = psycopg.Cursor[DictRow]


class PostgresSession:
    """
    Runs named statements while its transaction is open. It is ``bot.storage.sql.Sql`` for PostgreSQL.

    A repeated key spoils a transaction of PostgreSQL, while the contract says that it goes on. A savepoint before
    each statement would cost a message to the server each time, for what hardly ever happens. So what was run is
    remembered, and run again from the savepoint of the change: nobody else writes meanwhile, so it gives the same.
    """

    def __init__(self, connection: Connection, texts: Texts) -> None:
        self._connection = connection
        self._texts = texts
        self._ran: list[tuple[bytes, dict[str, Value], Callable[[Cursor], object], object]] = []
        self._over = False

    def one(self, name: str, /, **values: Value) -> Row | None:
        """Return the first row of the statement's answer, or None when there is none."""
        return self._execute(name, values, _first)

    def all(self, name: str, /, **values: Value) -> list[Row]:
        """Return every row of the statement's answer, in its order."""
        return self._execute(name, values, _rows)

    def run(self, name: str, /, **values: Value) -> int:
        """Return how many rows the statement inserted, changed or deleted; 0 for any other statement."""
        return self._execute(name, values, _affected)

    def end(self) -> None:
        """Refuse statements from now on: the function that this was given to has returned."""
        self._over = True

    def _execute(self, name: str, values: dict[str, Value], take: Callable[[Cursor], T]) -> T:
        if self._over:
            raise StorageError(f"{name}: the transaction is over")
        if self._connection.info.transaction_status is not TransactionStatus.INTRANS:
            raise StorageError(f"{name}: the transaction was lost; nothing of it was written")
        statement, text = self._texts.get(name)
        statement.check(values)
        try:
            with self._connection.execute(text, values) as cursor:
                answer = take(cursor)
                if _wrote(cursor):
                    self._ran.append((text, values, take, answer))
                return answer
        except FAULTS as fault:
            error = translated(fault, name)
            if isinstance(error, UniqueViolation):
                self._restore()
            raise error from fault

    def _restore(self) -> None:
        """Bring the transaction back to where it was before the statement that failed."""
        try:
            self._connection.execute(self._texts.control("control_savepoint_undo"))
            for text, values, take, answer in self._ran:
                with self._connection.execute(text, values) as cursor:
                    if take(cursor) != answer:
                        raise StorageError("a statement that was run again gave something else; nothing was written")
        except psycopg.Error as fault:
            raise translated(fault, "restore") from fault


def _first(cursor: Cursor) -> Row | None:
    return None if cursor.description is None else cursor.fetchone()


def _rows(cursor: Cursor) -> list[Row]:
    return [] if cursor.description is None else cursor.fetchall()


def _affected(cursor: Cursor) -> int:
    return max(cursor.rowcount, 0) if _wrote(cursor) else 0


def _wrote(cursor: Cursor) -> bool:
    return not (cursor.statusmessage or "").startswith("SELECT")
