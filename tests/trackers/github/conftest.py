from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
import respx

from bot.trackers.github.tracker import GithubTracker, open_tracker
from tests.trackers.github.documents import BASE


@pytest.fixture
def api() -> Iterator[respx.MockRouter]:
    """Answer in the tracker's place. A request without a route is a failure, and so is a route without a request."""
    router = respx.MockRouter()
    yield router
    router.assert_all_called()


@pytest.fixture
async def tracker(api: respx.MockRouter) -> AsyncIterator[GithubTracker]:
    transport = httpx.MockTransport(api.async_handler)
    async with open_tracker(secrets.token_hex(20), base_url=BASE, seconds=1.0, transport=transport) as opened:
        yield opened
