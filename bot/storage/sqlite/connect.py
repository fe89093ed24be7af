"""Opens connections to the database file, and makes each safe to use before anything else runs on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.errors import StorageError
from bot.storage.sqlite.faults import is_busy, translated
from bot.storage.statements import Statements

_CACHED_STATEMENTS = 512
_WAL_TRIES = 20


@dataclass(frozen=True, kw_only=True)
class SqliteSettings:
    """
    How the store uses its file.

    ``readers`` is the number of reading threads; ``group`` bounds how many changes share one commit. A
    writer waits ``busy_timeout`` milliseconds for another process, and ``upgrade_timeout`` for one that
    is changing the schema. ``durable=False`` does not sync commits to the disk: only for a database that
    is thrown away. ``check`` looks through the whole file when it is opened. ``trace`` is told the text
    of every statement as SQLite runs it.
    """

    path: Path
    readers: int = 4
    group: int = 64
    busy_timeout: int = 5_000
    upgrade_timeout: int = 60_000
    durable: bool = True
    check: bool = False
    trace: Callable[[str], None] | None = None


class Connector:
    """Makes connections to one file. Each belongs to the thread that asked for it."""

    def __init__(self, settings: SqliteSettings, statements: Statements) -> None:
        self._settings = settings
        self._statements = statements

    def for_upgrade(self) -> sqlite3.Connection:
        """
        Connect for changing the schema.

        Foreign keys are off: the way to alter a table in SQLite is to build it anew, and they cannot be
        switched inside the transaction that does it. Who upgrades checks them before the commit.
        """
        return self._prepared(self._settings.upgrade_timeout, "control_no_foreign_keys")

    def for_writing(self) -> sqlite3.Connection:
        """Connect for changes."""
        return self._prepared(self._settings.busy_timeout, "control_foreign_keys")

    def for_reading(self) -> sqlite3.Connection:
        """Connect for queries: SQLite refuses every write."""
        return self._prepared(self._settings.busy_timeout, "control_read_only")

    def _prepared(self, timeout: int, *then: str) -> sqlite3.Connection:
        settings = self._settings
        try:
            connection = sqlite3.connect(
                settings.path,
                timeout=timeout / 1_000,
                isolation_level=None,
                cached_statements=_CACHED_STATEMENTS,
            )
        except sqlite3.Error as fault:
            raise translated(fault, f"cannot open {settings.path}") from fault
        connection.set_trace_callback(settings.trace)
        try:
            self._use_wal(connection)
            durability = "control_durable" if settings.durable else "control_volatile"
            for name in ("control_wal_limit", durability, *then):
                self._say(connection, name)
        except sqlite3.Error as fault:
            connection.close()
            raise translated(fault, f"cannot use {settings.path}") from fault
        except BaseException:
            connection.close()
            raise
        return connection

    def _use_wal(self, connection: sqlite3.Connection) -> None:
        """
        Switch the file to a write-ahead log, which it then keeps.

        When several processes open a new file at once, SQLite refuses some of them at once, whatever the
        busy timeout is. A write transaction does wait, so an empty one stands between two tries.
        """
        for tries_left in reversed(range(_WAL_TRIES)):
            try:
                answer = self._say(connection, "control_wal")
            except sqlite3.OperationalError as fault:
                if not is_busy(fault) or not tries_left:
                    raise
                self._await_turn(connection)
            else:
                if answer != ("wal",):
                    raise StorageError(f"{self._settings.path} cannot have a write-ahead log; use a local disk")
                return

    def _await_turn(self, connection: sqlite3.Connection) -> None:
        self._say(connection, "control_begin_write")
        self._say(connection, "control_rollback")

    def _say(self, connection: sqlite3.Connection, name: str) -> object:
        return connection.execute(self._statements.get(name).text).fetchone()
