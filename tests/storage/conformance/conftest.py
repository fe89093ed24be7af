"""Every test here runs for every backend, and every change twice, the first time undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.storage.backend import BACKENDS, Backend
from tests.storage.twice import Twice, Writable

Store = Writable[Tx]


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture
async def place(backend: Backend, tmp_path: Path) -> AsyncIterator[str]:
    there = backend.place(tmp_path)
    yield there
    await backend.remove(there)


@pytest.fixture
async def store(backend: Backend, place: str) -> AsyncIterator[Store]:
    opened: Twice[Tx] = Twice(await backend.open(place, bind=Tx))
    yield opened
    await opened.close()


@pytest.fixture
async def other(backend: Backend, place: str, store: Store) -> AsyncIterator[Store]:
    """Open the database of ``store`` a second time, as another host does."""
    del store
    opened: Twice[Tx] = Twice(await backend.open(place, bind=Tx))
    yield opened
    await opened.close()
