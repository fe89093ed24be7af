"""Which database a host opens, and clocks that do not agree with it."""

from __future__ import annotations

import re
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import APIRouter
from pydantic import SecretStr

from bot.clock import Clock, Millis, SystemClock
from bot.errors import ConfigError, StorageError
from bot.host.config import Config
from bot.host.health import Health
from bot.host.http import http_app
from bot.host.sections import Database
from bot.host.skew import Skew
from bot.host.store import open_store
from bot.storage.contract import Shared, Store
from bot.storage.runner import InlineRunner
from tests.clock import FakeClock
from tests.postgres import need_server
from webhooks.delivery import Accepted, Delivery
from webhooks.receiver import Receiver


def config(directory: Path, url: str = "") -> Config:
    return Config(
        data=directory,
        repositories=("acme/greeter",),
        database=Database(url=SecretStr(url)),
        token=SecretStr("t"),
    )


@pytest.fixture
def url() -> Iterator[str]:
    """Return the URL of an empty place on a PostgreSQL server."""
    place = need_server().place()
    yield place
    need_server().drop(place)


@pytest.fixture
async def remote(tmp_path: Path, url: str) -> AsyncIterator[Store]:
    store = await open_store(config(tmp_path, url), InlineRunner())
    yield store
    await store.close()


async def test_without_a_url_the_database_is_a_file_that_nobody_shares(tmp_path: Path) -> None:
    store = await open_store(config(tmp_path), InlineRunner())
    assert (tmp_path / "trackside.db").exists()
    assert not isinstance(store, Shared)
    await store.close()


async def test_with_a_url_hosts_share_the_database(tmp_path: Path, remote: Store, url: str) -> None:
    # That there is no file follows from there being no directory for it.
    second = await open_store(config(tmp_path / "missing", url), InlineRunner())
    await remote.write(lambda tx: tx.cursors.put("mark", "one"))
    assert await second.read(lambda tx: tx.cursors.get("mark")) == "one"
    assert isinstance(remote, Shared)
    await second.close()


async def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot connect to the database"):
        await open_store(config(tmp_path, f"postgresql://me@/t?host={tmp_path}"), InlineRunner())


async def test_without_the_driver_it_is_said_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("bot.storage.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"pip install 'trackside\[postgres\]'"):
        await open_store(config(tmp_path, "postgresql://me@db/t"), InlineRunner())


class Late:
    """A clock that is so many milliseconds late."""

    def __init__(self, by: int) -> None:
        self._by = by

    def now(self) -> Millis:
        return Millis(SystemClock().now() - self._by)


async def ready(store: Store, clock: Clock) -> tuple[int, str]:
    async def accept(_delivery: Delivery) -> Accepted:
        return Accepted.IGNORED

    app = http_app(
        store,
        Receiver(secrets=[], accept=accept),
        APIRouter(),
        lambda: Health(loops=(), now=clock.now()),
        Skew(store=store, clock=clock, most=10_000),
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.test") as client:
        answer = await client.get("/readyz")
        return answer.status_code, answer.json().get("reason", "")


@pytest.mark.parametrize(
    ("late", "reason"),
    [
        (0, ""),
        (5_000, ""),
        (-5_000, ""),
        (60_000, r"the clock of this machine is \d{5} ms behind the database's; 10000 ms are allowed"),
        (-60_000, r"the clock of this machine is \d{5} ms ahead of the database's; 10000 ms are allowed"),
    ],
)
async def test_a_host_whose_clock_is_not_the_databases_is_not_ready(remote: Store, late: int, reason: str) -> None:
    status, said = await ready(remote, Late(late))
    assert status == (503 if reason else 200), said
    assert re.fullmatch(reason, said)


async def test_a_file_tells_the_time_of_its_machine(store: Store) -> None:
    assert (await ready(store, SystemClock()))[0] == 200
    assert (await ready(store, FakeClock()))[0] == 503, "the clock of the test stands years behind"
