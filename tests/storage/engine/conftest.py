from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.runner import ThreadRunner
from tests.storage.engine.harness import BACKENDS, Backend, Store, open_sqlite


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
async def store(backend: Backend, path: Path) -> AsyncIterator[Store]:
    opened = await backend.open(path)
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
