"""What the doctor reads of answers: their headers, and their refusals."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator

import httpx
import pytest
import respx

from bot.clock import SECOND, Millis
from bot.errors import RateLimitedError, TrackerError
from bot.trackers.github.inspect import GithubInspect, open_inspect
from bot.trackers.inspection import Account, Attempt, Hook, Lacking
from tests.trackers.github.documents import API, BASE, REPO

HOOKS = f"{API}/hooks"


@pytest.fixture
async def inspector(api: respx.MockRouter) -> AsyncIterator[GithubInspect]:
    transport = httpx.MockTransport(api.async_handler)
    async with open_inspect(secrets.token_hex(20), base_url=BASE, transport=transport) as opened:
        yield opened


# gh-K-03
async def test_the_time_the_quota_and_the_version_come_with_the_account(
    api: respx.MockRouter, inspector: GithubInspect
) -> None:
    headers = {
        "date": "Tue, 01 Dec 2026 12:00:00 GMT",
        "x-ratelimit-remaining": "41",
        "x-ratelimit-limit": "5000",
        "x-github-enterprise-version": "3.17.2",
    }
    api.get(f"{BASE}/user").respond(json={"login": "bot"}, headers=headers)

    assert await inspector.account() == Account(
        login="bot", tracker_time=Millis(1_796_126_400 * SECOND), remaining=41, limit=5000, version="3.17.2"
    )


async def test_a_tracker_that_tells_nothing_beside_the_account_is_one(
    api: respx.MockRouter, inspector: GithubInspect
) -> None:
    api.get(f"{BASE}/user").respond(json={"login": "bot"}, headers={"date": "soon", "x-ratelimit-limit": "many"})

    assert await inspector.account() == Account(login="bot")


async def test_webhooks_and_what_became_of_their_deliveries_are_read(
    api: respx.MockRouter, inspector: GithubInspect
) -> None:
    hook = {"id": 5, "active": True, "events": ["issues"], "config": {"url": "https://bot.example/webhooks/github"}}
    api.get(HOOKS).respond(json=[hook])
    api.get(f"{HOOKS}/5/deliveries").respond(json=[{"status_code": 401}, {"status_code": 202}])

    assert await inspector.hooks(REPO) == [
        Hook(id=5, url="https://bot.example/webhooks/github", active=True, events=("issues",))
    ]
    assert await inspector.attempts(REPO, 5) == [Attempt(status=401), Attempt(status=202)]


@pytest.mark.parametrize("status", [403, 404])
async def test_webhooks_that_may_not_be_seen_are_not_taken_for_none(
    api: respx.MockRouter, inspector: GithubInspect, status: int
) -> None:
    api.get(HOOKS).respond(status, json={"message": "no"})

    assert await inspector.hooks(REPO) is None


async def test_a_limit_is_never_taken_for_a_missing_permission(api: respx.MockRouter, inspector: GithubInspect) -> None:
    api.get(HOOKS).respond(403, json={"message": "slow down"}, headers={"retry-after": "30"})
    api.get(f"{API}/branches").respond(403, json={"message": "slow down"}, headers={"retry-after": "30"})

    with pytest.raises(RateLimitedError):
        await inspector.hooks(REPO)
    with pytest.raises(RateLimitedError):
        await inspector.lacking(REPO)


@pytest.mark.parametrize("status", [200, 404, 409, 422])
async def test_only_a_refusal_is_taken_for_a_missing_permission(
    api: respx.MockRouter, inspector: GithubInspect, status: int
) -> None:
    for path in ("branches", "issues", "labels", "pulls"):
        api.get(f"{API}/{path}").respond(json=[])
    statuses = api.get(f"{API}/commits/HEAD/statuses")
    statuses.respond(status, json={"message": "Git Repository is empty."})
    assert await inspector.lacking(REPO) == []

    statuses.respond(403, json={"message": "Resource not accessible by personal access token"})
    assert await inspector.lacking(REPO) == [Lacking(permission="statuses", level="write")]


async def test_labels_of_every_page_are_read(api: respx.MockRouter, inspector: GithubInspect) -> None:
    for page, names in enumerate((["a", "b"], ["c"], []), start=1):
        api.get(f"{API}/labels", params={"page": page}).respond(json=[{"name": name} for name in names])

    assert await inspector.labels(REPO) == ["a", "b", "c"]


async def test_a_page_that_is_no_api_is_said_to_be_none(api: respx.MockRouter, inspector: GithubInspect) -> None:
    api.get(f"{BASE}/user").respond(text="<html>Sign in</html>")

    with pytest.raises(TrackerError, match="something else than JSON"):
        await inspector.account()
