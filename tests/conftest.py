from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.postgres import SERVER
from tests.sequence import Ids
from tests.storage.backend import INLINE
from tests.storage.twice import Writable


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-step", action="store_true", help="kill the bot at every step, and live through many days")


@pytest.fixture(scope="session", autouse=True)
def server_ends() -> Iterator[None]:
    """End the database server that a test may have asked for."""
    yield
    SERVER.end()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ids() -> Ids:
    return Ids()


@pytest.fixture
def place(tmp_path: Path) -> str:
    """Where the database of ``store`` lies, for a test that opens it a second time."""
    return INLINE.place(tmp_path)


@pytest.fixture
async def store(place: str) -> AsyncIterator[Writable[Tx]]:
    """Open an empty database without threads, so that every run of a test is the same."""
    opened = await INLINE.open(place, bind=Tx)
    yield opened
    await opened.close()
