"""The limits and the rejected token that tests put between bot and tracker look as they do at GitHub."""

from __future__ import annotations

import httpx
import pytest

from tests.scenarios.faults import Faults

PATH = "/repos/acme/shop"


def carried_out(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={})


async def ask(faults: Faults) -> httpx.Response:
    async with httpx.AsyncClient(transport=faults, base_url="http://tracker.test") as client:
        return await client.get(PATH)


@pytest.mark.parametrize("seconds", [None, 7])
async def test_a_secondary_limit_is_met_once_with_or_without_a_time(seconds: int | None) -> None:
    faults = Faults(httpx.MockTransport(carried_out))
    faults.slow_down("GET", PATH, retry_after=seconds)

    first, second = await ask(faults), await ask(faults)

    assert (first.status_code, second.status_code) == (403, 200)
    assert "secondary rate limit" in first.json()["message"]
    assert first.headers.get("Retry-After") == (None if seconds is None else "7")
    assert "X-RateLimit-Remaining" not in first.headers


async def test_used_up_requests_stay_used_up_until_the_fault_is_healed() -> None:
    faults = Faults(httpx.MockTransport(carried_out))
    faults.exhaust("GET", PATH, reset=1_770_000_000)

    answers = [await ask(faults), await ask(faults)]
    faults.heal()

    assert [each.status_code for each in answers] == [403, 403]
    assert answers[0].headers["X-RateLimit-Remaining"] == "0"
    assert answers[0].headers["X-RateLimit-Reset"] == "1770000000"
    assert (await ask(faults)).status_code == 200


async def test_a_token_is_rejected_once() -> None:
    faults = Faults(httpx.MockTransport(carried_out))
    faults.reject("GET", PATH)

    first, second = await ask(faults), await ask(faults)

    assert (first.status_code, first.json()["message"]) == (401, "Bad credentials")
    assert second.status_code == 200
