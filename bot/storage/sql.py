"""
What a backend offers to the repositories: named statements inside one open transaction.

A repository never sees a connection, a cursor or a line of SQL. So it cannot commit by accident, and the
same repository runs on every backend. The texts lie in the directory ``sql`` beside this file.
"""

from __future__ import annotations

from typing import Any, Protocol

from bot.errors import StorageError

Value = str | int | float | bytes | None
"""What a statement takes for one of its parameters."""

Row = dict[str, Any]
"""One row of an answer, by column name."""


class Sql(Protocol):
    """
    The statements of one transaction. It is valid only inside the function that it was given to.

    Every method raises ``UniqueViolation`` when a unique constraint refused the row: only that statement
    is undone and the transaction goes on. Every other fault is a ``StorageError``, also a name that no
    file has and parameters other than those of the statement.
    """

    def one(self, name: str, /, **values: Value) -> Row | None:
        """Return the first row of the statement's answer, or None when there is none."""
        ...

    def all(self, name: str, /, **values: Value) -> list[Row]:
        """Return every row of the statement's answer, in its order."""
        ...

    def run(self, name: str, /, **values: Value) -> int:
        """Return how many rows the statement inserted, changed or deleted; 0 for any other statement."""
        ...


class UniqueViolation(StorageError):  # noqa: N818 - the name that databases have for it
    """
    A row with this key is there already; the statement wrote nothing.

    ``statement`` is the name of the statement that was refused.
    """

    def __init__(self, statement: str) -> None:
        super().__init__(f"{statement}: a row with this key is there already")
        self.statement = statement


class BusyError(StorageError):
    """The database is busy: another process kept it locked for too long. Nothing was written."""


class UncertainError(StorageError):
    """The database did not say whether it committed: this may or may not have been written."""
