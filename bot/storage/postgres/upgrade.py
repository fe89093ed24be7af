"""Brings the schema of a database up to date, in one transaction, while no host writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress

import psycopg
from psycopg import errors
from psycopg.rows import DictRow

from bot.errors import MigrationError
from bot.storage.migrate import Migration, pending
from bot.storage.postgres.connect import Connection, Connector
from bot.storage.postgres.faults import translated, words
from bot.storage.postgres.texts import Texts
from bot.storage.statements import Statements


def upgrade(connector: Connector, statements: Statements, migrations: Sequence[Migration]) -> None:
    """
    Apply the migrations that the database lacks: all of them, or none.

    Of several hosts that open it at once one applies them while the others wait. A database that is up to date is
    not locked at all. Raises ``MigrationError`` when it cannot be brought to this version, ``BusyError`` when
    another host kept it locked, ``StorageError`` when it cannot be reached.
    """
    with closing(connector.for_upgrade()) as connection:
        try:
            _Upgrade(connection, Texts(statements), migrations).run()
        except psycopg.Error as fault:
            raise translated(fault, "upgrade") from fault


class _Upgrade:
    def __init__(self, connection: Connection, texts: Texts, migrations: Sequence[Migration]) -> None:
        self._connection = connection
        self._texts = texts
        self._migrations = migrations

    def run(self) -> None:
        if self._is_current():
            return
        self._control("control_begin_write")
        try:
            self._control("schema_create")
            for migration in pending(self._migrations, self._applied()):
                self._apply(migration)
            self._control("control_commit")
        except BaseException:
            with suppress(psycopg.Error):
                self._control("control_rollback")
            raise

    def _is_current(self) -> bool:
        (answer,) = self._say("control_has_schema")
        if not answer["found"]:
            return False
        return not pending(self._migrations, self._applied())

    def _applied(self) -> dict[int, str]:
        return {row["version"]: row["checksum"] for row in self._say("schema_applied")}

    def _apply(self, migration: Migration) -> None:
        try:
            self._say("control_migration_text", {"text": migration.text})
            self._control("control_migrate")
        except psycopg.Error as fault:
            # What a function runs may not end the transaction, and the server's words for that are about functions.
            refused = isinstance(fault, errors.FeatureNotSupported | errors.InvalidTransactionTermination)
            reason = "a migration must not begin or end a transaction" if refused else words(fault)
            raise MigrationError(f"{migration}: {reason}; the database is as it was") from fault
        values = {"version": migration.version, "name": migration.name, "checksum": migration.checksum}
        self._connection.execute(self._texts.get("schema_record")[1], values)

    def _control(self, name: str) -> None:
        self._connection.execute(self._texts.control(name)).close()

    def _say(self, name: str, values: Mapping[str, object] | None = None) -> list[DictRow]:
        return self._connection.execute(self._texts.get(name)[1], values or {}).fetchall()
