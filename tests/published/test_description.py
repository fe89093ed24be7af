"""What the validator lets pass, and what it does not: a check that finds nothing proves nothing."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.published.description import NotAsPublishedError, description
from tests.published.examples import Examples, example
from tests.published.walk import operation
from tests.published.watch import Watched

API = "https://api.github.com/repos/acme/shop"
ISSUE = operation("GET /repos/{owner}/{repo}/issues/{issue_number}")


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [
        ("GET", f"{API}/issues?labels=bug&per_page=100&since=2026-12-01T12:00:00Z", None),
        ("POST", f"{API}/issues/3/labels", {"labels": ["bug"]}),
        ("DELETE", f"{API}/issues/3/labels/run%3Awork%2Fissue", None),
        ("GET", "https://github.example/api/v3/repos/acme/shop", None),
        ("GET", "https://api.github.com/repositories/11/issues/3", None),
        ("POST", f"{API}/check-runs", {"name": "gate", "head_sha": "a" * 40, "status": "in_progress"}),
    ],
)
def test_a_request_that_is_published_passes(method: str, url: str, body: object) -> None:
    description().check_request(httpx.Request(method, url, json=body))


@pytest.mark.parametrize(
    ("method", "url", "body", "why"),
    [
        ("PUT", f"{API}/issues/3/comments", {"body": "text"}, "has no PUT"),
        ("POST", f"{API}/issue/3/comments", {"body": "text"}, "has no POST"),
        ("GET", f"{API}/issues//comments", None, "has no GET"),
        ("POST", f"{API}/issues/three/comments", {"body": "text"}, "three"),
        ("POST", f"{API}/issues/3/comments", {"text": "text"}, "'body' is a required property"),
        ("POST", f"{API}/issues/3/comments", {"body": 3}, "not of type 'string'"),
        ("POST", f"{API}/issues/3/comments", {"body": "text", "bodies": []}, "'bodies' was unexpected"),
        ("POST", f"{API}/issues/3/comments", None, "required"),
        ("POST", f"{API}/issues/3/reactions", {"content": "thumbs"}, "is not one of"),
        ("POST", f"{API}/check-runs", {"name": "g", "head_sha": "a", "output": {"title": "t"}}, "summary"),
        ("GET", f"{API}/issues?state=opened", None, "is not one of"),
        ("GET", f"{API}/issues?label=bug", None, "no parameters ['label']"),
        ("GET", f"{API}/hooks/5/deliveries?page=1", None, "no parameters ['page']"),
        ("GET", API, {"a": 1}, "has no body"),
    ],
)
def test_a_request_that_is_not_published_is_found(method: str, url: str, body: object, why: str) -> None:
    with pytest.raises(NotAsPublishedError) as caught:
        description().check_request(httpx.Request(method, url, json=body))

    assert why in str(caught.value)


def _answer(status: int, document: object) -> None:
    answer = httpx.Response(status, json=document)
    description().check_answer(httpx.Request("GET", f"{API}/issues/3"), answer)


def _issue(**changed: object) -> dict[str, Any]:
    _, document = example(ISSUE)
    return {**document, **changed}


def test_an_answer_that_is_published_passes() -> None:
    _answer(200, _issue())
    _answer(200, _issue(closed_by=None, user=None, state_reason=None))
    _answer(404, {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"})
    _answer(403, {"message": "No", "documentation_url": "https://docs.github.com/rest", "status": "403"})


@pytest.mark.parametrize(
    ("status", "document", "why"),
    [
        (200, _issue(number="3"), "number: '3' is not of type 'integer'"),
        (200, _issue(title=None), "title"),
        (200, _issue(user={"login": "ada"}), "user"),
        (200, {}, "required"),
        (201, _issue(), "does not answer 201"),
        (409, {"message": "No"}, "does not answer 409"),
        (403, {"error": "No"}, "without saying why"),
        (404, {"message": 3}, "not of type 'string'"),
    ],
)
def test_an_answer_that_is_not_published_is_found(status: int, document: object, why: str) -> None:
    with pytest.raises(NotAsPublishedError) as caught:
        _answer(status, document)

    assert why in str(caught.value)


def test_a_null_beside_a_choice_is_not_passed_over() -> None:
    """Validators of OpenAPI 3.0 let anything pass there; the published description has more than eighty such places."""
    _answer(200, _issue(milestone=None))
    with pytest.raises(NotAsPublishedError):
        _answer(200, _issue(closed_by="ada"))


async def test_what_passes_is_judged_both_ways() -> None:
    watched = Watched(Examples())
    odd = Watched(httpx.MockTransport(lambda _: httpx.Response(200, json=_issue(number=None))))

    await watched.handle_async_request(httpx.Request("GET", f"{API}/issues/3"))
    for request in (httpx.Request("GET", f"{API}/issues/3"), httpx.Request("PATCH", f"{API}/issues")):
        with pytest.raises(NotAsPublishedError):
            await odd.handle_async_request(request)

    assert (watched.seen[ISSUE], watched.answered[ISSUE, 200], watched.faults) == (1, 1, [])
    assert len(odd.faults) == 2


def test_a_webhook_that_is_not_published_is_found() -> None:
    with pytest.raises(NotAsPublishedError, match="sends no issues-tickled"):
        description().check_webhook("issues", "tickled", b"{}")
    with pytest.raises(NotAsPublishedError, match="required"):
        description().check_webhook("issues", "labeled", b'{"action": "labeled"}')
