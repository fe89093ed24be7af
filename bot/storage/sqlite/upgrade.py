"""Brings the schema of a database file up to date, in one transaction, under the file's write lock."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from bot.errors import MigrationError, StorageError
from bot.storage.migrate import Migration, pending
from bot.storage.sqlite.connect import Connector
from bot.storage.sqlite.faults import translated
from bot.storage.statements import Statements

_NOTHING = re.compile(r"(?:\s|--[^\n]*|/\*.*?\*/)*", re.DOTALL)


def upgrade(
    connector: Connector, statements: Statements, migrations: Sequence[Migration], *, check: bool = False
) -> None:
    """
    Apply the migrations that the file lacks: all of them, or none. With ``check``, look it through before.

    Of several processes that open the file at once one applies them while the others wait. A file that is
    up to date is not locked at all. Raises ``MigrationError`` when the file cannot be brought to this
    version, ``BusyError`` when another process kept it locked, ``StorageError`` when the file is damaged.
    """
    with closing(connector.for_upgrade()) as connection:
        try:
            if check:
                _check(connection, statements)
            _Upgrade(connection, statements, migrations).run()
        except sqlite3.Error as fault:
            raise translated(fault, "upgrade") from fault


class _Upgrade:
    def __init__(self, connection: sqlite3.Connection, statements: Statements, migrations: Sequence[Migration]) -> None:
        self._connection = connection
        self._statements = statements
        self._migrations = migrations

    def run(self) -> None:
        if self._is_current():
            return
        self._say("control_begin_migration")
        try:
            self._say("schema_create")
            for migration in pending(self._migrations, self._applied()):
                self._apply(migration)
            self._check_references()
            self._say("control_commit")
        except BaseException:
            with suppress(sqlite3.Error):
                if self._connection.in_transaction:
                    self._say("control_rollback")
            raise

    def _is_current(self) -> bool:
        if not self._say("control_has_schema"):
            return False
        return not pending(self._migrations, self._applied())

    def _applied(self) -> dict[int, str]:
        return {version: checksum for version, _, checksum in self._say("schema_applied")}

    def _apply(self, migration: Migration) -> None:
        self._connection.set_authorizer(_allowed)
        try:
            for statement in split(migration):
                self._connection.execute(statement).close()
        except sqlite3.Error as fault:
            # SQLite's words for a refused COMMIT are "not authorized", which send the reader elsewhere.
            refused = fault.sqlite_errorcode == sqlite3.SQLITE_AUTH
            reason = "a migration must not begin or end a transaction" if refused else str(fault)
            raise MigrationError(f"{migration}: {reason}; the database is as it was") from fault
        finally:
            self._connection.set_authorizer(None)
        self._say(
            "schema_record",
            {"version": migration.version, "name": migration.name, "checksum": migration.checksum},
        )

    def _check_references(self) -> None:
        faults = self._say("control_foreign_key_faults")
        if faults:
            raise MigrationError(
                f"After the migration a row of {faults[0][0]} would refer to one that is not there "
                f"({len(faults)} in all); the database is as it was."
            )

    def _say(self, name: str, values: dict[str, object] | None = None) -> list[Any]:
        return self._connection.execute(self._statements.get(name).text, values or {}).fetchall()


def _allowed(action: int, *_: str | None) -> int:
    own = action not in {sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT}
    return sqlite3.SQLITE_OK if own else sqlite3.SQLITE_DENY


def split(migration: Migration) -> Iterator[str]:
    """Yield the statements of a migration; SQLite itself says where one ends, also after a trigger's body."""
    start = 0
    for end in (match.end() for match in re.finditer(";", migration.text)):
        statement = migration.text[start:end]
        if sqlite3.complete_statement(statement):
            yield statement
            start = end
    if not _NOTHING.fullmatch(migration.text[start:]):
        raise MigrationError(f"{migration}: the last statement does not end")


def _check(connection: sqlite3.Connection, statements: Statements) -> None:
    answer = connection.execute(statements.get("control_quick_check").text).fetchone()
    if answer != ("ok",):
        raise StorageError(f"the database file is damaged: {answer[0]}; restore a backup")
