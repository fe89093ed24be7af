"""Every failure is told in the words of the contract, once."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

import httpx
import pytest
import respx

from bot.errors import RateLimitedError, TrackerError, TrackerMissingError, TrackerUnavailableError
from bot.metrics import REGISTRY
from bot.trackers.github.tracker import GithubTracker, open_tracker
from tests.trackers.github.documents import API, BASE, REPO, comment, issue

COMMENTS = f"{API}/issues/3/comments"
DATE = "Tue, 01 Dec 2026 12:00:00 GMT"
AT_DATE = 1_796_126_400


async def refused(api: respx.MockRouter, tracker: GithubTracker, answer: httpx.Response) -> TrackerError:
    """Return the error of a write that is answered so, having seen that it was asked for once."""
    route = api.post(COMMENTS).mock(return_value=answer)
    with pytest.raises(TrackerError) as caught:
        await tracker.create_comment(REPO, 3, "hello")
    assert route.call_count == 1
    return caught.value


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_write_that_fails_at_the_tracker_is_not_repeated(
    api: respx.MockRouter, tracker: GithubTracker, status: int
) -> None:
    error = await refused(api, tracker, httpx.Response(status, text="<html>"))

    assert type(error) is TrackerUnavailableError
    assert error.status == status


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError("no route"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")]
)
async def test_a_tracker_that_cannot_be_reached_is_unavailable(
    api: respx.MockRouter, tracker: GithubTracker, failure: httpx.HTTPError
) -> None:
    route = api.post(COMMENTS).mock(side_effect=failure)

    with pytest.raises(TrackerUnavailableError, match=type(failure).__name__):
        await tracker.create_comment(REPO, 3, "hello")

    assert route.call_count == 1


@pytest.mark.parametrize("status", [404, 410])
async def test_what_the_tracker_does_not_know_is_missing(
    api: respx.MockRouter, tracker: GithubTracker, status: int
) -> None:
    error = await refused(api, tracker, httpx.Response(status, json={"message": "Not Found"}))

    assert type(error) is TrackerMissingError
    assert error.status == status


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"message": "Bad credentials"}, "Bad credentials"),
        ({"message": "Failed", "errors": [{"message": "No commits between a and b"}]}, "Failed; No commits between"),
        ({"message": "Failed", "errors": [{"field": "head", "code": "invalid"}, "also"]}, "Failed; head invalid; also"),
        ({"errors": "odd", "message": None}, "no reason given"),
        (["odd"], "no reason given"),
    ],
)
async def test_a_refusal_says_what_the_tracker_said(
    api: respx.MockRouter, tracker: GithubTracker, document: Any, said: str
) -> None:
    error = await refused(api, tracker, httpx.Response(422, json=document))

    assert type(error) is TrackerError
    assert error.status == 422
    assert said in str(error)


@pytest.mark.parametrize(
    ("status", "headers", "message", "milliseconds"),
    [
        (429, {}, "slow down", 60_000),
        (403, {"Retry-After": "7"}, "wait", 7_000),
        # A moment, not a duration: told by the tracker's own clock, whatever ours says.
        (403, {"Retry-After": "Tue, 01 Dec 2026 12:00:30 GMT", "Date": DATE}, "wait", 30_000),
        (429, {"Retry-After": "soon", "Date": DATE}, "wait", 60_000),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(AT_DATE + 90), "Date": DATE}, "used up", 90_000),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(AT_DATE - 9), "Date": DATE}, "used up", 1_000),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "odd", "Date": DATE}, "used up", 60_000),
        (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(AT_DATE)}, "used up", 60_000),
        (403, {}, "You have exceeded a secondary rate limit.", 60_000),
        (403, {}, "You have triggered an abuse detection mechanism.", 60_000),
    ],
)
async def test_a_limit_says_how_long_to_wait(
    api: respx.MockRouter,
    tracker: GithubTracker,
    status: int,
    headers: Mapping[str, str],
    message: str,
    milliseconds: int,
) -> None:
    error = await refused(api, tracker, httpx.Response(status, headers=headers, json={"message": message}))

    assert isinstance(error, RateLimitedError)
    assert error.retry_after == milliseconds


async def test_a_denial_is_no_limit(api: respx.MockRouter, tracker: GithubTracker) -> None:
    answer = httpx.Response(403, headers={"X-RateLimit-Remaining": "4999"}, json={"message": "Resource not accessible"})

    error = await refused(api, tracker, answer)

    assert type(error) is TrackerError
    assert error.status == 403


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>Welcome to the hotel's network</html>"),
        httpx.Response(200, json=[]),
        httpx.Response(200, json={"number": 1}),
        httpx.Response(200, json=issue(1, title=None)),
        httpx.Response(200, json=issue(1) | {"number": True}),
        httpx.Response(200, json=issue(1, updated_at="yesterday")),
        httpx.Response(200, json=issue(1, updated_at="2026-12-01T12:00:00")),
        httpx.Response(200, json=issue(1, labels=[{"color": "ededed"}])),
        httpx.Response(200, json=issue(1, locked="no")),
        httpx.Response(200),
    ],
)
async def test_an_answer_that_cannot_be_used_is_an_error_of_the_tracker(
    api: respx.MockRouter, tracker: GithubTracker, answer: httpx.Response
) -> None:
    api.get(f"{API}/issues/1").mock(return_value=answer)

    with pytest.raises(TrackerError) as caught:
        await tracker.issue(REPO, 1)

    assert type(caught.value) is TrackerError


async def test_an_answer_in_order_can_be_used(api: respx.MockRouter, tracker: GithubTracker) -> None:
    # The control of the test above.
    api.get(f"{API}/issues/1").mock(return_value=httpx.Response(200, json=issue(1)))

    assert (await tracker.issue(REPO, 1)).title == "Issue 1"


async def test_a_comment_of_no_issue_cannot_be_used(api: respx.MockRouter, tracker: GithubTracker) -> None:
    document = comment(1, issue_url="https://tracker.test/nowhere")
    api.post(COMMENTS).mock(return_value=httpx.Response(201, json=document))

    with pytest.raises(TrackerError):
        await tracker.create_comment(REPO, 3, "hello")


async def test_an_answer_that_never_ends_is_given_up() -> None:
    asked: list[httpx.Request] = []

    async def never(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        await asyncio.Event().wait()
        raise AssertionError

    # This transport knows no timeout, as if each part of the answer came in time: the whole is too late.
    transport = httpx.MockTransport(never)
    async with open_tracker(secrets.token_hex(20), base_url=BASE, seconds=0.02, transport=transport) as tracker:
        with pytest.raises(TrackerUnavailableError, match="TimeoutError"):
            await tracker.me()

    assert len(asked) == 1


# gh-R-02
async def test_a_limit_is_known_by_the_page_that_explains_it_whatever_its_message_says(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    page = "https://docs.example/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
    document = {"message": "Please come back a little later", "documentation_url": page}
    error = await refused(api, tracker, httpx.Response(403, json=document, headers={"x-ratelimit-remaining": "4000"}))

    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 60_000


# gh-R-02
async def test_a_refusal_with_a_quota_left_and_another_page_is_a_missing_permission(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    document = {"message": "Resource not accessible by integration", "documentation_url": "https://docs.example/rest"}
    error = await refused(api, tracker, httpx.Response(403, json=document, headers={"x-ratelimit-remaining": "4000"}))

    assert type(error) is TrackerError
    assert error.status == 403


@pytest.mark.parametrize(
    ("left", "resource", "expected"),
    [("4321", "core", 4321.0), ("17", "search", 17.0), ("many", "oddities", None), ("5", "a b", None)],
)
async def test_what_is_left_of_the_quota_is_told_in_the_metrics(
    api: respx.MockRouter, tracker: GithubTracker, left: str, resource: str, expected: float | None
) -> None:
    headers = {"x-ratelimit-remaining": left, "x-ratelimit-resource": resource}
    api.get(f"{API}/issues/3").mock(return_value=httpx.Response(200, json=issue(number=3), headers=headers))

    await tracker.issue(REPO, 3)

    assert REGISTRY.get_sample_value("trackside_tracker_requests_left", {"owner": "", "resource": resource}) == expected
