from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.postgres.store import PostgresStore
from bot.storage.runner import ThreadRunner
from bot.storage.sql import Sql
from tests.postgres import need_server
from tests.storage.engine.harness import BACKENDS, FILES, Backend, Store, open_postgres, open_sqlite


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture(params=FILES, ids=lambda backend: backend.name)
def files(request: pytest.FixtureRequest) -> Backend:
    """Return a backend whose places are files."""
    chosen: Backend = request.param
    return chosen


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def place(backend: Backend, tmp_path: Path) -> AsyncIterator[str]:
    there = backend.place(tmp_path)
    yield there
    await backend.remove(there)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """Return a place on a PostgreSQL server."""
    there = need_server().place()
    yield there
    need_server().drop(there)


@pytest.fixture
async def remote(url: str) -> AsyncIterator[PostgresStore[Sql]]:
    """Open an empty database of PostgreSQL, with threads."""
    opened = await open_postgres(url, ThreadRunner())
    yield opened
    await opened.close()


@pytest.fixture
async def store(backend: Backend, place: str) -> AsyncIterator[Store]:
    opened = await backend.open(place)
    yield opened
    await opened.close()


@pytest.fixture
def traced() -> list[str]:
    return []


@pytest.fixture
async def threaded(path: Path, traced: list[str]) -> AsyncIterator[Store]:
    opened = await open_sqlite(path, ThreadRunner(), trace=traced.append)
    yield opened
    await opened.close()
