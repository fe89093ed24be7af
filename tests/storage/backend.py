"""
What the tests need of a kind of store. Another database joins by another class here and an entry in ``BACKENDS``.

A *place* names one database: a file, or a connection string. It is a text, so that another process can open it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from bot.storage import migrate
from bot.storage.migrate import Migration
from bot.storage.runner import InlineRunner, Runner, ThreadRunner
from bot.storage.sql import Sql
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import Layer, for_dialect
from tests.storage.twice import Writable

TxT = TypeVar("TxT")

MIGRATIONS = migrate.load(Layer(package="bot.storage", directory="migrations"))


def raw(sql: Sql) -> Sql:
    """Bind a store to its bare statements."""
    return sql


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    def place(self, directory: Path) -> str:
        """Return a place where no database is yet; ``directory`` is thrown away after the test."""
        ...

    async def open(
        self,
        place: str,
        *,
        bind: Callable[[Sql], TxT],
        more: Sequence[Layer] = (),
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> Writable[TxT]:
        """Open the database at a place, as often as wanted; ``more`` are layers of statements on top."""
        ...

    async def remove(self, place: str) -> None:
        """Remove what is left at a place, after every store of it was closed."""
        ...


class SqliteBackend:
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
        migrations: Sequence[Migration] = MIGRATIONS,
    ) -> SqliteStore[TxT]:
        settings = SqliteSettings(path=Path(place), readers=2, busy_timeout=60_000, durable=False)
        return await SqliteStore.open(
            settings,
            bind=bind,
            statements=for_dialect("sqlite", *more),
            migrations=migrations,
            runner=self._runner(),
        )

    async def remove(self, place: str) -> None:
        """Do nothing: the file goes with its directory."""
        del place


INLINE = SqliteBackend("sqlite-inline", InlineRunner)
BACKENDS: tuple[Backend, ...] = (INLINE, SqliteBackend("sqlite-threads", ThreadRunner))


def named(name: str) -> Backend:
    """Return a backend by its name, for a process that was told one."""
    return next(backend for backend in BACKENDS if backend.name == name)
