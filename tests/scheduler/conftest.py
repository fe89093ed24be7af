"""Every test here runs for each kind of database, without threads, so that every run of it is the same."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage.backend import STEPPED, Backend
from tests.storage.twice import Writable


@pytest.fixture(params=STEPPED, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture
async def place(backend: Backend, tmp_path: Path) -> AsyncIterator[str]:
    """Where the database of ``store`` lies, for a test that opens it a second time."""
    there = backend.place(tmp_path)
    yield there
    await backend.remove(there)


@pytest.fixture
async def store(backend: Backend, place: str) -> AsyncIterator[Writable[Tx]]:
    opened = await backend.open(place, bind=Tx)
    yield opened
    await opened.close()


@pytest.fixture
def bench(store: Writable[Tx], clock: FakeClock, ids: Ids) -> Bench:
    return Bench(store, clock, ids)
