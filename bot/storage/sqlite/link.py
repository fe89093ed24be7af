"""A connection that can always begin its next transaction, whatever became of the last one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress

from bot.errors import StorageError
from bot.storage.sqlite.faults import translated
from bot.storage.sqlite.session import Session
from bot.storage.statements import Statements


class SqliteLink:
    """The connection of one server, and the control statements that it is given by name."""

    spoiled = False
    """SQLite undoes the statement that failed, and the transaction takes the next one."""
    cut = False
    """A file does not hang up."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], statements: Statements) -> None:
        self._connect = connect
        self._statements = statements
        self._connection = connect()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite may have ended it by itself."""
        return self._connection.in_transaction

    def begin(self, name: str) -> None:
        """Begin a transaction. Raises ``StorageError``, also when there is no connection."""
        self.leave()
        self.say(name)

    def say(self, name: str) -> None:
        """Run a control statement. Raises ``StorageError``."""
        try:
            self._connection.execute(self._statements.get(name).text)
        except sqlite3.Error as fault:
            raise translated(fault, name.removeprefix("control_")) from fault

    def commit(self) -> None:
        """Commit. Raises ``StorageError`` when it is refused."""
        self.say("control_commit")

    def session(self) -> Session:
        """Return the statements of the transaction that is open."""
        return Session(self._connection, self._statements)

    def leave(self) -> None:
        """End the transaction with nothing written; when even that fails, end the connection with it."""
        with suppress(StorageError):
            if self.in_transaction:
                self.say("control_rollback")
        if self.in_transaction:
            # Connecting first keeps the old connection, and with it an error to tell, when that fails too.
            replacement = self._connect()
            self._connection.close()
            self._connection = replacement

    def close(self) -> None:
        """Close the connection. As the last one to the file it also folds the log into it."""
        self._connection.close()
