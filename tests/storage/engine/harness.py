"""What the tests of the engine need of a backend; another backend joins by another entry in ``BACKENDS``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from bot.storage import migrate
from bot.storage.postgres.connect import PostgresSettings
from bot.storage.postgres.store import PostgresStore
from bot.storage.runner import InlineRunner, Runner, ThreadRunner
from bot.storage.sql import Sql
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import Layer, Statements, for_dialect
from tests.postgres import need_server
from tests.storage.twice import Writable

Change = Callable[[Sql], Any]
Store = Writable[Sql]

HERE = "tests.storage.engine"
COMMON = Layer(package=HERE, directory="migrations")
MIGRATIONS = migrate.load(COMMON)
POSTGRES_MIGRATIONS = migrate.load(COMMON, Layer(package=HERE, directory="migrations/postgres"))
PATIENCE = 20
"""Seconds after which a signal that never came fails the test instead of blocking it."""


def same(sql: Sql) -> Sql:
    return sql


def statements(*more: str, dialect: str = "sqlite") -> Statements:
    layers = [Layer(package=HERE, directory=directory) for directory in ("sql/common", f"sql/{dialect}", *more)]
    return for_dialect(dialect, *layers)


class Backend(Protocol):
    """A kind of store. ``groups`` says whether it can commit several changes together."""

    @property
    def name(self) -> str: ...

    @property
    def groups(self) -> bool: ...

    def place(self, directory: Path) -> str:
        """Return a place where no database is yet."""
        ...

    async def open(self, place: Path | str, **settings: Any) -> Store: ...

    async def remove(self, place: str) -> None:
        """Remove what is left at a place."""
        ...


@dataclass(frozen=True, kw_only=True)
class SqliteBackend:
    name: str
    runner: Callable[[], Runner]
    groups: bool

    def place(self, directory: Path) -> str:
        return str(directory / "store.db")

    async def open(self, place: Path | str, **settings: Any) -> Store:
        return await open_sqlite(Path(place), self.runner(), **{"busy_timeout": 60_000, **settings})

    async def remove(self, place: str) -> None:
        """Do nothing: the file goes with its directory."""


@dataclass(frozen=True, kw_only=True)
class PostgresBackend:
    name: str
    runner: Callable[[], Runner]
    groups: bool

    def place(self, directory: Path) -> str:
        del directory
        return need_server().place()

    async def open(self, place: Path | str, **settings: Any) -> Store:
        return await open_postgres(str(place), self.runner(), **settings)

    async def remove(self, place: str) -> None:
        need_server().drop(place)


FILES: tuple[Backend, ...] = (
    SqliteBackend(name="sqlite-threads", runner=ThreadRunner, groups=True),
    SqliteBackend(name="sqlite-inline", runner=InlineRunner, groups=False),
)
BACKENDS: tuple[Backend, ...] = (
    *FILES,
    PostgresBackend(name="postgres-threads", runner=ThreadRunner, groups=True),
    PostgresBackend(name="postgres-inline", runner=InlineRunner, groups=False),
)


def named(name: str) -> Backend:
    """Return a backend by its name, for a process that was told one."""
    return next(backend for backend in BACKENDS if backend.name == name)


async def open_sqlite(
    path: Path,
    runner: Runner,
    *,
    texts: Statements | None = None,
    migrations: Sequence[migrate.Migration] = MIGRATIONS,
    **settings: Any,
) -> SqliteStore[Sql]:
    chosen = replace(SqliteSettings(path=path, readers=2, durable=False), **settings)
    return await SqliteStore.open(
        chosen, bind=same, statements=texts or statements(), migrations=migrations, runner=runner
    )


async def open_postgres(
    url: str,
    runner: Runner,
    *,
    texts: Statements | None = None,
    migrations: Sequence[migrate.Migration] = POSTGRES_MIGRATIONS,
    **settings: Any,
) -> PostgresStore[Sql]:
    chosen = replace(PostgresSettings(url=url, readers=2), **settings)
    return await PostgresStore.open(
        chosen,
        bind=same,
        statements=texts or statements(dialect="postgres"),
        migrations=migrations,
        runner=runner,
    )


class Gate:
    """A change that keeps the writer busy until it is opened."""

    def __init__(self) -> None:
        self._entered = Event()
        self._opened = Event()

    def __call__(self, _: Sql) -> None:
        self._entered.set()
        if not self._opened.wait(PATIENCE):
            raise AssertionError("nobody opened the gate")

    async def entered(self) -> None:
        assert await asyncio.to_thread(self._entered.wait, PATIENCE)

    def open(self) -> None:
        self._opened.set()


async def together(store: Store, changes: Sequence[Change], *, groups: bool = True) -> list[Any]:
    """Have changes wait together, and return what each gave or raised."""
    gate = Gate()
    first = None
    if groups:
        first = asyncio.create_task(store.write(gate))
        await gate.entered()
    tasks = [asyncio.create_task(store.write(change)) for change in changes]
    await asyncio.sleep(0)
    gate.open()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    if first is not None:
        await first
    return outcomes


def add(name: str, count: int = 1) -> Change:
    """Make a new tally."""
    return lambda sql: sql.run("tally_new", name=name, count=count)


def tallies(sql: Sql) -> dict[str, int]:
    return {row["name"]: row["count"] for row in sql.all("tally_all")}
