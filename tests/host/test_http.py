"""What the process answers over HTTP besides deliveries and turns."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import APIRouter

from bot.errors import AddressError
from bot.host.health import Health
from bot.host.http import http_app
from bot.host.listen import address_of, listening
from bot.storage.contract import Tx
from tests.clock import START
from tests.storage.twice import Writable
from webhooks.delivery import Accepted, Delivery
from webhooks.receiver import Receiver


async def accept(_delivery: Delivery) -> Accepted:
    return Accepted.IGNORED


@pytest.fixture
async def client(store: Writable[Tx]) -> AsyncIterator[httpx.AsyncClient]:
    app = http_app(store, Receiver(secrets=[], accept=accept), APIRouter(), lambda: Health(loops=(), now=START))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.test") as opened:
        yield opened


async def test_a_bot_whose_database_can_be_read_is_ready(client: httpx.AsyncClient) -> None:
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready", "passes": {}})


async def test_a_bot_whose_database_is_gone_is_alive_and_not_ready(
    client: httpx.AsyncClient, store: Writable[Tx]
) -> None:
    await store.close()
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    assert answer.json()["reason"]
    assert (await client.get("/healthz")).status_code == 200


async def test_nothing_is_described_to_strangers(client: httpx.AsyncClient) -> None:
    for path in ("/docs", "/redoc", "/openapi.json", "/"):
        assert (await client.get(path)).status_code == 404


def test_a_free_port_can_be_asked_for() -> None:
    with listening("127.0.0.1", 0, cure="") as listener:
        address = httpx.URL(address_of(listener))
        assert (address.scheme, address.host) == ("http", "127.0.0.1")
        # who comes early waits for an answer, and is not turned away
        assert address.port is not None
        socket.create_connection(("127.0.0.1", address.port)).close()


def test_an_address_is_given_back() -> None:
    with listening("127.0.0.1", 0, cure="") as listener:
        port = listener.getsockname()[1]
        with (
            pytest.raises(AddressError, match=r"Address already in use; wait$"),
            listening("127.0.0.1", port, cure="wait"),
        ):
            pass
    with listening("127.0.0.1", port, cure=""):
        pass


def test_an_address_of_another_machine_is_refused() -> None:
    # 192.0.2.1 is for documentation only
    with pytest.raises(AddressError) as caught, listening("192.0.2.1", 80, cure="move"):
        pass
    assert str(caught.value) == "cannot listen on 192.0.2.1:80: Cannot assign requested address; move"


def test_an_address_of_the_newer_kind_stands_in_brackets() -> None:
    try:
        with listening("::1", 0, cure="") as listener:
            assert address_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"
    except AddressError:
        pytest.skip("this machine has no IPv6")


async def test_what_was_counted_is_told_to_prometheus(client: httpx.AsyncClient) -> None:
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
