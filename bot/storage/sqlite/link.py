"""A connection that can always begin its next transaction, whatever became of the last one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress

from bot.storage.sqlite.session import Session
from bot.storage.statements import Statements


class Link:
    """The connection of one server, and the control statements that it is given by name."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], statements: Statements) -> None:
        self._connect = connect
        self._statements = statements
        self._connection = connect()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite may have ended it by itself."""
        return self._connection.in_transaction

    def begin(self, name: str) -> None:
        """Begin a transaction. Raises ``sqlite3.Error``, or ``StorageError`` when there is no connection."""
        self.leave()
        self.say(name)

    def say(self, name: str) -> None:
        """Run a control statement. Raises ``sqlite3.Error``."""
        self._connection.execute(self._statements.get(name).text)

    def session(self) -> Session:
        """Return the statements of the transaction that is open."""
        return Session(self._connection, self._statements)

    def leave(self) -> None:
        """End the transaction with nothing written; when even that fails, end the connection with it."""
        with suppress(sqlite3.Error):
            if self.in_transaction:
                self.say("control_rollback")
        if self.in_transaction:
            # Connecting first keeps the old connection, and with it an error to tell, when that fails too.
            replacement = self._connect()
            self._connection.close()
            self._connection = replacement

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
