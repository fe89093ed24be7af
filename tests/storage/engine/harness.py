"""What the tests of the engine need of a backend; another backend joins by another entry in ``BACKENDS``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from bot.storage import migrate
from bot.storage.runner import InlineRunner, Runner, ThreadRunner
from bot.storage.sql import Sql
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import Layer, Statements, for_dialect

Change = Callable[[Sql], Any]
Store = SqliteStore[Sql]

HERE = "tests.storage.engine"
MIGRATIONS = migrate.load(Layer(package=HERE, directory="migrations"))
PATIENCE = 20
"""Seconds after which a signal that never came fails the test instead of blocking it."""


def same(sql: Sql) -> Sql:
    return sql


def statements(*more: str) -> Statements:
    layers = [Layer(package=HERE, directory=directory) for directory in ("sql/common", "sql/sqlite", *more)]
    return for_dialect("sqlite", *layers)


@dataclass(frozen=True, kw_only=True)
class Backend:
    """A kind of store. ``groups`` says whether it can commit several changes together."""

    name: str
    runner: Callable[[], Runner]
    groups: bool

    async def open(self, path: Path, **settings: Any) -> Store:
        return await open_sqlite(path, self.runner(), **settings)


BACKENDS = (
    Backend(name="sqlite-threads", runner=ThreadRunner, groups=True),
    Backend(name="sqlite-inline", runner=InlineRunner, groups=False),
)


async def open_sqlite(
    path: Path,
    runner: Runner,
    *,
    texts: Statements | None = None,
    migrations: Sequence[migrate.Migration] = MIGRATIONS,
    **settings: Any,
) -> Store:
    chosen = replace(SqliteSettings(path=path, readers=2, durable=False), **settings)
    return await SqliteStore.open(
        chosen, bind=same, statements=texts or statements(), migrations=migrations, runner=runner
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
