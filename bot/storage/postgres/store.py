"""The PostgreSQL store: changes through one writer, queries through several readers, on an injected runner."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Generic, TypeVar

from bot.storage.capabilities import Capabilities
from bot.storage.migrate import Migration
from bot.storage.postgres.connect import Connector, PostgresSettings
from bot.storage.postgres.link import PostgresLink
from bot.storage.postgres.listen import listen
from bot.storage.postgres.upgrade import upgrade
from bot.storage.reader import Reader
from bot.storage.runner import Desk, Runner
from bot.storage.sql import Sql
from bot.storage.statements import Statements
from bot.storage.writer import Writer

T = TypeVar("T")
TxT = TypeVar("TxT")


class PostgresStore(Generic[TxT]):
    """A store in a database that several hosts may share; ``bind`` makes a transaction of its statements."""

    capabilities = Capabilities(dialect="postgres", many_hosts=True, notifies=True)

    def __init__(
        self, *, writer: Desk[TxT], readers: Desk[TxT], settings: PostgresSettings, statements: Statements
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._settings = settings
        self._statements = statements

    @classmethod
    async def open(
        cls,
        settings: PostgresSettings,
        *,
        bind: Callable[[Sql], TxT],
        statements: Statements,
        migrations: Sequence[Migration],
        runner: Runner,
    ) -> PostgresStore[TxT]:
        """
        Open the database, which must exist, and bring its schema up to date.

        Raises ``MigrationError``, ``BusyError``, or ``StorageError`` when the database cannot be used.
        """
        connector = Connector(settings, statements)

        def open_writer() -> Writer[TxT]:
            upgrade(connector, statements, migrations)
            return Writer(PostgresLink(connector.for_writing, statements), bind)

        def open_reader() -> Reader[TxT]:
            return Reader(PostgresLink(connector.for_reading, statements), bind)

        writer = await runner.desk(open_writer, servers=1, group=settings.group)
        try:
            readers = await runner.desk(open_reader, servers=settings.readers, group=1)
        except BaseException:
            await writer.close()
            raise
        return cls(writer=writer, readers=readers, settings=settings, statements=statements)

    async def write(self, change: Callable[[TxT], T], /) -> T:
        """
        Run a change in a transaction and return its value once that is durable.

        As in every store; also, ``UncertainError`` says that the server was lost while it committed.
        """
        return await self._writer.ask(change)

    async def read(self, query: Callable[[TxT], T], /) -> T:
        """
        Run a query on one snapshot of what is committed, without waiting for changes.

        Raises ``StorageError`` when the query tries to write, and after ``close``.
        """
        return await self._readers.ask(query)

    def changes(self) -> AsyncGenerator[None, None]:
        """Yield when it listens, and then whenever another process has committed. Raises ``StorageError``."""
        return listen(self._settings, self._statements)

    async def close(self) -> None:
        """Finish what was asked for before, then close the connections. May be called again."""
        await self._readers.close()
        await self._writer.close()
