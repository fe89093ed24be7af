"""
The tracker's database: one aiosqlite connection, one short transaction at a time.

Reads take their turn like writes, so that nobody sees half of a change. Nothing but SQL may be awaited
inside a transaction: git and the network come before or after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite

from bot.trackers.embedded.statements import schema, statements

Value = str | int | None
Row = dict[str, Any]


class Tx:
    """The named statements of one open transaction."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def one(self, name: str, /, **values: Value) -> Row | None:
        """Return the first row of the answer, or None."""
        rows = await self.all(name, **values)
        return rows[0] if rows else None

    async def all(self, name: str, /, **values: Value) -> list[Row]:
        """Return every row of the answer."""
        return [dict(row) for row in await self._connection.execute_fetchall(statements()[name], values)]

    async def run(self, name: str, /, **values: Value) -> int:
        """Return how many rows were written."""
        async with self._connection.execute(statements()[name], values) as cursor:
            return cursor.rowcount

    async def next_id(self) -> int:
        """Return a number that no object of this tracker has; each is higher than all before."""
        row = await self.one("next_id")
        assert row is not None  # noqa: S101 - the schema puts the one row there
        return int(row["id"])


class Store:
    """Opens transactions on the one connection."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        """Give the statements of a transaction; commit at the end, or roll back when anything is raised."""
        async with self._turn:
            try:
                await self._connection.execute("BEGIN IMMEDIATE")
                yield Tx(self._connection)
                await self._connection.execute("COMMIT")
            except BaseException:
                # Also on cancellation; where the transaction is over already this does nothing.
                await self._connection.rollback()
                raise


@asynccontextmanager
async def open_store(database: Path) -> AsyncIterator[Store]:
    """Open the database, making it when it is new; close it whatever happens, or the interpreter never exits."""
    connection = aiosqlite.connect(database, isolation_level=None)
    async with connection:
        connection.row_factory = aiosqlite.Row
        for pragma in ("busy_timeout = 5000", "journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            await connection.execute(f"PRAGMA {pragma}")
        for statement in schema():
            await connection.execute(statement)
        yield Store(connection)
