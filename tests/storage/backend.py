"""
What the tests need of a kind of store. Another database joins by another class here and an entry in ``BACKENDS``.

A *place* names one database: a file, or a connection string. It is a text, so that another process can open it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import psycopg

from bot.storage import migrate
from bot.storage.migrate import Migration
from bot.storage.postgres.connect import Connector, PostgresSettings
from bot.storage.postgres.store import PostgresStore
from bot.storage.postgres.upgrade import upgrade
from bot.storage.runner import InlineRunner, Runner, ThreadRunner
from bot.storage.sql import Sql
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import Layer, for_dialect
from tests.postgres import need_server
from tests.storage.twice import Writable

TxT = TypeVar("TxT")

MIGRATIONS = migrate.for_dialect("sqlite")


def raw(sql: Sql) -> Sql:
    """Bind a store to its bare statements."""
    return sql


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def migrations(self) -> Sequence[Migration]:
        """The migrations as this kind of database has them."""
        ...

    def place(self, directory: Path) -> str:
        """Return a place where no database is yet; ``directory`` is thrown away after the test."""
        ...

    async def open(
        self,
        place: str,
        *,
        bind: Callable[[Sql], TxT],
        more: Sequence[Layer] = (),
        migrations: Sequence[Migration] | None = None,
    ) -> Writable[TxT]:
        """Open the database at a place, as often as wanted; ``more`` are layers of statements on top."""
        ...

    async def remove(self, place: str) -> None:
        """Remove what is left at a place, after every store of it was closed."""
        ...


class SqliteBackend:
    migrations = MIGRATIONS

    def __init__(self, name: str, runner: Callable[[], Runner]) -> None:
        self.name = name
        self._runner = runner

    def place(self, directory: Path) -> str:
        return str(directory / "trackside.db")

    async def open(
        self,
        place: str,
        *,
        bind: Callable[[Sql], TxT],
        more: Sequence[Layer] = (),
        migrations: Sequence[Migration] | None = None,
    ) -> SqliteStore[TxT]:
        settings = SqliteSettings(path=Path(place), readers=2, busy_timeout=60_000, durable=False)
        return await SqliteStore.open(
            settings,
            bind=bind,
            statements=for_dialect("sqlite", *more),
            migrations=self.migrations if migrations is None else migrations,
            runner=self._runner(),
        )

    async def remove(self, place: str) -> None:
        """Do nothing: the file goes with its directory."""
        del place


class PostgresBackend:
    migrations = migrate.for_dialect("postgres")

    def __init__(self, name: str, runner: Callable[[], Runner]) -> None:
        self.name = name
        self._runner = runner

    def place(self, directory: Path) -> str:
        """Return a place on the server of the tests; where there is none, the test is skipped."""
        del directory
        return need_server().place()

    async def open(
        self,
        place: str,
        *,
        bind: Callable[[Sql], TxT],
        more: Sequence[Layer] = (),
        migrations: Sequence[Migration] | None = None,
    ) -> PostgresStore[TxT]:
        return await PostgresStore.open(
            PostgresSettings(url=place, readers=2, lock_timeout=60_000),
            bind=bind,
            statements=for_dialect("postgres", *more),
            migrations=self.migrations if migrations is None else migrations,
            runner=self._runner(),
        )

    async def remove(self, place: str) -> None:
        need_server().drop(place)


class KeptBackend(PostgresBackend):
    """Hands out a database again once its rows are those of a new one: for many short tests."""

    def __init__(self, name: str, runner: Callable[[], Runner]) -> None:
        super().__init__(name, runner)
        self._free: list[str] = []
        self._cures: dict[str, bytes] = {}

    def place(self, directory: Path) -> str:
        if self._free:
            return self._free.pop()
        place, texts = super().place(directory), for_dialect("postgres")
        upgrade(Connector(PostgresSettings(url=place), texts), texts, self.migrations)
        self._cures[place] = need_server().remember(place).encode()
        return place

    async def remove(self, place: str) -> None:
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(self._cures[place])
        self._free.append(place)


INLINE = SqliteBackend("sqlite-inline", InlineRunner)
POSTGRES = PostgresBackend("postgres", ThreadRunner)
BACKENDS: tuple[Backend, ...] = (INLINE, SqliteBackend("sqlite-threads", ThreadRunner), POSTGRES)
STEPPED: tuple[Backend, ...] = (INLINE, KeptBackend("postgres-inline", InlineRunner))
"""One of each kind of database, without threads, so that every run of a test is the same."""


def named(name: str) -> Backend:
    """Return a backend by its name, for a process that was told one."""
    return next(backend for backend in (*BACKENDS, *STEPPED) if backend.name == name)
