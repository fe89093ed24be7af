"""A connection that can always begin its next transaction, whatever became of the last one, or of the server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import psycopg
from psycopg.pq import TransactionStatus

from bot.errors import StorageError
from bot.storage.postgres.connect import Connection
from bot.storage.postgres.faults import translated
from bot.storage.postgres.session import PostgresSession
from bot.storage.postgres.texts import Texts
from bot.storage.sql import UncertainError
from bot.storage.statements import Statements

_OPEN = frozenset({TransactionStatus.INTRANS, TransactionStatus.INERROR})


class PostgresLink:
    """The connection of one server, and the control statements that it is given by name."""

    def __init__(self, connect: Callable[[], Connection], statements: Statements) -> None:
        self._connect = connect
        self._texts = Texts(statements)
        self._connection = connect()

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, sound or spoiled."""
        return self._status in _OPEN

    @property
    def spoiled(self) -> bool:
        """Whether a statement failed, after which PostgreSQL takes no other one."""
        return self._status is TransactionStatus.INERROR

    @property
    def cut(self) -> bool:
        """Whether the connection is gone: the server was restarted, or ended it."""
        return self._connection.closed

    def begin(self, name: str) -> None:
        """
        Begin a transaction, on a new connection when the one there is is gone: nothing was asked of it yet.

        Raises ``StorageError``, also when there is no server.
        """
        self.leave()
        if not self.cut:
            try:
                self.say(name)
            except StorageError:
                if not self.cut:
                    raise
            else:
                return
        self._connection = self._connect()
        self.say(name)

    def say(self, name: str) -> None:
        """Run control statements. Raises ``StorageError``."""
        try:
            self._connection.execute(self._texts.control(name)).close()
        except psycopg.Error as fault:
            raise translated(fault, name.removeprefix("control_")) from fault

    def commit(self) -> None:
        """
        Commit. Raises ``StorageError`` when it is refused.

        Raises ``UncertainError`` when the connection was lost: the server may have committed before.
        """
        try:
            self.say("control_commit")
        except StorageError as error:
            if self.cut:
                raise UncertainError from error
            raise

    def session(self) -> PostgresSession:
        """Return the statements of the transaction that is open."""
        return PostgresSession(self._connection, self._texts)

    def leave(self) -> None:
        """End the transaction with nothing written; when even that fails, end the connection with it."""
        with suppress(StorageError):
            if self.in_transaction:
                self.say("control_rollback")
        if self._status is not TransactionStatus.IDLE:
            self._connection.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @property
    def _status(self) -> TransactionStatus:
        return self._connection.info.transaction_status
