"""What a writer and a reader need of one connection, whatever the database."""

from __future__ import annotations

from typing import Protocol

from bot.storage.sql import Sql


class Session(Sql, Protocol):
    """The statements of one transaction, as a change or a query sees them."""

    def end(self) -> None:
        """Refuse statements from now on: the function that this was given to has returned."""
        ...


class Link(Protocol):
    """
    The connection of one server. It can always begin its next transaction, whatever became of the last one.

    Faults are raised as ``StorageError``.
    """

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open; the database may have ended it by itself."""
        ...

    @property
    def spoiled(self) -> bool:
        """Whether the open transaction takes no more statements, but for going back to a savepoint."""
        ...

    @property
    def cut(self) -> bool:
        """Whether the connection is gone."""
        ...

    def begin(self, name: str) -> None:
        """Begin a transaction by the control statement of this name."""
        ...

    def say(self, name: str) -> None:
        """Run a control statement."""
        ...

    def commit(self) -> None:
        """Commit. Raises ``UncertainError`` when the database did not say whether it did."""
        ...

    def session(self) -> Session:
        """Return the statements of the transaction that is open."""
        ...

    def leave(self) -> None:
        """End the transaction with nothing written; when even that fails, end the connection with it."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
