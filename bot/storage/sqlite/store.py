"""The SQLite store: changes through one writer, queries through several readers, on an injected runner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from bot.storage.capabilities import Capabilities
from bot.storage.migrate import Migration
from bot.storage.reader import Reader
from bot.storage.runner import Desk, Runner
from bot.storage.sql import Sql
from bot.storage.sqlite.connect import Connector, SqliteSettings
from bot.storage.sqlite.link import SqliteLink
from bot.storage.sqlite.upgrade import upgrade
from bot.storage.statements import Statements
from bot.storage.writer import Writer

T = TypeVar("T")
TxT = TypeVar("TxT")


class SqliteStore(Generic[TxT]):
    """A store in one file, for the transactions that its ``bind`` makes of a transaction's statements."""

    capabilities = Capabilities(dialect="sqlite", many_hosts=False, notifies=False)

    def __init__(self, *, writer: Desk[TxT], readers: Desk[TxT]) -> None:
        self._writer = writer
        self._readers = readers

    @classmethod
    async def open(
        cls,
        settings: SqliteSettings,
        *,
        bind: Callable[[Sql], TxT],
        statements: Statements,
        migrations: Sequence[Migration],
        runner: Runner,
    ) -> SqliteStore[TxT]:
        """
        Open the file, make it if it is missing, and bring its schema up to date.

        What a crash left in the log is recovered by SQLite on the way. Raises ``MigrationError``,
        ``BusyError``, or ``StorageError`` when the file cannot be used.
        """
        connector = Connector(settings, statements)

        def open_writer() -> Writer[TxT]:
            upgrade(connector, statements, migrations, check=settings.check)
            return Writer(SqliteLink(connector.for_writing, statements), bind)

        def open_reader() -> Reader[TxT]:
            return Reader(SqliteLink(connector.for_reading, statements), bind)

        writer = await runner.desk(open_writer, servers=1, group=settings.group)
        try:
            readers = await runner.desk(open_reader, servers=settings.readers, group=1)
        except BaseException:
            await writer.close()
            raise
        return cls(writer=writer, readers=readers)

    async def write(self, change: Callable[[TxT], T], /) -> T:
        """
        Run a change in a transaction and return its value once that is durable.

        A change may be run more than once before it counts, so it has no effect outside its transaction.
        When it raises, it is undone and the caller gets what it raised. A caller that is cancelled must
        assume either. Raises ``StorageError`` when the database could not do it, and after ``close``.
        """
        return await self._writer.ask(change)

    async def read(self, query: Callable[[TxT], T], /) -> T:
        """
        Run a query on one snapshot of what is committed, without waiting for changes.

        Raises ``StorageError`` when the query tries to write, and after ``close``.
        """
        return await self._readers.ask(query)

    async def close(self) -> None:
        """Finish what was asked for before, then close the file. May be called again."""
        # The writer goes last: SQLite folds the log into the file when the last connection closes, which a
        # connection that must not write cannot do.
        await self._readers.close()
        await self._writer.close()
