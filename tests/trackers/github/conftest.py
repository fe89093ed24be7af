from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import respx

from bot.trackers.github.tracker import GithubTracker, open_tracker
from tests.clock import FakeClock
from tests.published.watch import Watched
from tests.trackers.github.apps import Age, AppServer, opened
from tests.trackers.github.documents import BASE


@pytest.fixture
def api() -> Iterator[respx.MockRouter]:
    """Answer in the tracker's place. A request without a route is a failure, and so is a route without a request."""
    router = respx.MockRouter()
    yield router
    router.assert_all_called()


@pytest.fixture
async def tracker(api: respx.MockRouter) -> AsyncIterator[GithubTracker]:
    # What these tests answer is cut to what they are about; what the adapter asks is not.
    watched = Watched(httpx.MockTransport(api.async_handler), answers=False)
    async with open_tracker(secrets.token_hex(20), base_url=BASE, seconds=1.0, transport=watched) as opened:
        yield opened
    watched.settle()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def age(clock: FakeClock) -> Age:
    return Age(clock)


@pytest.fixture
def server(clock: FakeClock) -> AppServer:
    made = AppServer(clock=clock)
    made.install(1, "acme", "shop", "till")
    made.install(2, "zoo", "farm")
    return made


@pytest.fixture
async def app_tracker(server: AppServer, clock: FakeClock, age: Age) -> AsyncIterator[GithubTracker]:
    async with opened(server, clock, age) as made:
        yield made
