from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import quote_plus

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from structlog.testing import capture_logs

from tests.webhooks.edge import payloads
from webhooks.delivery import Accepted, Delivery
from webhooks.facts import CommentFact, Wake
from webhooks.receiver import LARGE, MAX_BODY, Receiver
from webhooks.secret import Secret
from webhooks.signature import sign

SECRET = secrets.token_hex(16).encode()
PATH = "/webhooks/github"
Headers = dict[str, str]


class Inbox:
    """What stands behind the receiver: remembers ids, as a store does."""

    def __init__(self) -> None:
        self.deliveries: list[Delivery] = []

    async def accept(self, delivery: Delivery) -> Accepted:
        known = delivery.guid in {seen.guid for seen in self.deliveries}
        self.deliveries.append(delivery)
        if known:
            return Accepted.DUPLICATE
        return Accepted.NEW if delivery.facts else Accepted.IGNORED


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


def client(accept: Callable[[Delivery], Awaitable[Accepted]], *valid: bytes) -> httpx.AsyncClient:
    async def health(_request: Request) -> Response:
        return PlainTextResponse("ok")

    receiver = Receiver(secrets=[Secret(each) for each in valid or (SECRET,)], accept=accept)
    app = Starlette(routes=[Route(PATH, receiver), Route("/healthz", health)])
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.test")


def headers(body: bytes, event: str = "issue_comment", delivery: str = "d-1") -> Headers:
    return {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": delivery,
        "x-github-hook-id": "99",
        "x-hub-signature-256": sign(body, SECRET).decode(),
    }


COMMENT = json.dumps(payloads.comment(body="/approve 🙂 ç"), ensure_ascii=False).encode()


async def test_a_signed_delivery_is_accepted_with_its_facts(inbox: Inbox) -> None:  # gh-H-04
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=headers(COMMENT))
    assert (answer.status_code, answer.json()) == (202, {"delivery": "d-1", "status": "accepted"})
    (delivery,) = inbox.deliveries
    assert (delivery.guid, delivery.event, delivery.action, delivery.hook) == (
        "d-1",
        "issue_comment",
        "created",
        99,
    )
    assert delivery.payload == COMMENT
    assert not delivery.note
    (fact,) = delivery.facts
    assert isinstance(fact, CommentFact)
    assert fact.body == "/approve 🙂 ç"


async def test_a_form_is_accepted_with_the_signature_over_the_form(inbox: Inbox) -> None:
    body = b"payload=" + quote_plus(COMMENT).encode()
    sent = headers(body) | {"content-type": "application/x-www-form-urlencoded"}
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=body, headers=sent)
        over_the_json = sent | {"x-hub-signature-256": sign(COMMENT, SECRET).decode()}
        refused = await http.post(PATH, content=body, headers=over_the_json)
    assert (answer.status_code, refused.status_code) == (202, 401)
    assert [delivery.payload for delivery in inbox.deliveries] == [COMMENT]


async def test_the_same_delivery_again_is_a_duplicate(inbox: Inbox) -> None:
    async with client(inbox.accept) as http:
        await http.post(PATH, content=COMMENT, headers=headers(COMMENT))
        answer = await http.post(PATH, content=COMMENT, headers=headers(COMMENT))
    assert (answer.status_code, answer.json()["status"]) == (202, "duplicate")


async def test_two_labels_added_at_once_are_two_wakes(inbox: Inbox) -> None:  # ag-A05
    async with client(inbox.accept) as http:
        for delivery, label in (("d-1", "documentation"), ("d-2", "run:work-issue")):
            body = json.dumps(payloads.issues("labeled", label=label)).encode()
            await http.post(PATH, content=body, headers=headers(body, "issues", delivery))
    found = [fact for delivery in inbox.deliveries for fact in delivery.facts]
    assert [type(fact) for fact in found] == [Wake, Wake]
    assert len({fact.natural_key for fact in found}) == 2


@pytest.mark.parametrize(
    ("event", "body", "note"),
    [
        ("star", b'{"action": "created"}', "nothing in use here"),
        ("issues", b'{"action": "assigned"}', "nothing in use here"),
        ("issues", b'{"action": ["opened"]}', "nothing in use here"),
        ("issues", b'{"action": "opened"}', "malformed: repository: Field required"),
    ],
)
async def test_what_tells_nothing_is_recorded_with_the_reason(
    inbox: Inbox, event: str, body: bytes, note: str
) -> None:  # gh-W-20
    async with client(inbox.accept) as http:
        # ag-D15
        answer = await http.post(PATH, content=body, headers=headers(body, event))
    assert (answer.status_code, answer.json()["status"]) == (202, "ignored")
    assert [delivery.note for delivery in inbox.deliveries] == [note]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
async def test_other_methods_are_told_which_one_is_allowed(inbox: Inbox, method: str) -> None:
    async with client(inbox.accept) as http:
        answer = await http.request(method, PATH)
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data", "application/jsonx", "", None])
async def test_other_content_types_are_refused(inbox: Inbox, kind: str | None) -> None:
    sent = headers(COMMENT)
    del sent["content-type"]
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=sent if kind is None else sent | {"content-type": kind})
    assert answer.status_code == 415
    assert inbox.deliveries == []


async def test_a_content_type_may_have_parameters(inbox: Inbox) -> None:
    sent = headers(COMMENT) | {"content-type": "Application/JSON; charset=utf-8"}
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=sent)
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-github-event", None),
        ("x-github-event", ""),
        ("x-github-event", "Not An Event"),
        ("x-github-event", "e" * 101),
        ("x-github-delivery", None),
        ("x-github-delivery", ""),
        ("x-github-delivery", "d" * 201),
        ("x-github-delivery", "größe"),
        ("x-github-delivery", "a\tb"),
        ("content-length", "x"),
        ("content-length", "-1"),
        ("content-length", "1_0"),
    ],
)
async def test_headers_that_are_missing_or_make_no_sense_are_refused(
    inbox: Inbox, name: str, value: str | None
) -> None:
    sent = {key.encode(): content.encode() for key, content in headers(COMMENT).items()}
    sent.pop(name.encode(), None)
    if value is not None:
        sent[name.encode()] = value.encode()
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=sent)
    assert answer.status_code == 400
    assert inbox.deliveries == []


@pytest.mark.parametrize("name", ["x-github-event", "x-github-delivery", "x-hub-signature-256"])
async def test_a_header_sent_twice_is_refused(inbox: Inbox, name: str) -> None:
    sent = headers(COMMENT)
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=[*sent.items(), (name, sent[name])])
    assert answer.status_code in {400, 401}
    assert inbox.deliveries == []


@pytest.mark.parametrize("hook", ["", "abc", "9" * 30, "-1"])
async def test_a_hook_id_that_makes_no_sense_is_none(inbox: Inbox, hook: str) -> None:
    async with client(inbox.accept) as http:
        await http.post(PATH, content=COMMENT, headers=headers(COMMENT) | {"x-github-hook-id": hook})
    assert [delivery.hook for delivery in inbox.deliveries] == [None]


@pytest.mark.parametrize(
    "signature", [None, b"", b"sha256=\xff\xfe", "sha256=größe".encode(), b"sha1=" + b"0" * 40, b"\x80" * 9000]
)
async def test_a_signature_of_any_bytes_is_a_plain_401(inbox: Inbox, signature: bytes | None) -> None:  # gh-H-03
    sent = {key.encode(): content.encode() for key, content in headers(COMMENT).items()}
    del sent[b"x-hub-signature-256"]
    if signature is not None:
        sent[b"x-hub-signature-256"] = signature
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=COMMENT, headers=sent)
    assert answer.status_code == 401
    assert inbox.deliveries == []


async def test_the_signature_is_checked_before_the_body_is_understood(inbox: Inbox) -> None:
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=b"not json", headers=headers(COMMENT))
    assert answer.status_code == 401


async def test_without_secrets_everything_is_refused(inbox: Inbox) -> None:  # ag-B10
    receiver = Receiver(secrets=(), accept=inbox.accept)
    sent = headers(COMMENT) | {"x-hub-signature-256": sign(COMMENT, b"").decode()}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(receiver), base_url="http://bot.test") as http:
        answer = await http.post(PATH, content=COMMENT, headers=sent)
    assert answer.status_code == 401
    assert inbox.deliveries == []


async def test_while_secrets_are_rotated_both_are_taken(inbox: Inbox) -> None:  # gh-K-10
    async with client(inbox.accept, secrets.token_hex(16).encode(), SECRET) as http:
        answer = await http.post(PATH, content=COMMENT, headers=headers(COMMENT))
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"not json", "not valid JSON"),
        (b"\xff", "UTF-8"),
        (b"[]", "not an object"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "too large"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "levels deep"),
        (b"[" * (LARGE + 1), "levels deep"),
    ],
)
async def test_a_signed_body_that_is_no_strict_object_is_refused_with_the_reason(
    inbox: Inbox, body: bytes, reason: str
) -> None:
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=body, headers=headers(body))
    assert answer.status_code == 400
    assert reason in answer.json()["error"]
    assert inbox.deliveries == []


async def test_a_body_that_announces_too_much_is_not_read(inbox: Inbox) -> None:
    receiver = Receiver(secrets=[Secret(SECRET)], accept=inbox.accept)
    for length in (str(MAX_BODY + 1), "9" * 5000):
        sent = headers(b"") | {"content-length": length}
        asked = 0

        async def receive() -> dict[str, Any]:
            nonlocal asked
            asked += 1
            return {"type": "http.request"}

        assert await answer_of(receiver, sent, receive) == 413
        assert asked == 0


async def test_a_body_that_grows_too_large_is_not_read_to_its_end(inbox: Inbox) -> None:
    pieces = 26
    given = 0

    async def stream() -> AsyncIterator[bytes]:
        nonlocal given
        for _ in range(pieces * 4):
            given += 1
            yield b" " * (1024 * 1024 // 4)

    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=stream(), headers=headers(b""))
    assert answer.status_code == 413
    assert given < pieces * 4
    assert inbox.deliveries == []


async def test_the_largest_payload_of_the_tracker_is_taken(inbox: Inbox) -> None:  # gh-H-06
    start, end = b'{"action": "created", "filler": "', b'"}'
    body = start + b"x" * (MAX_BODY - len(start) - len(end)) + end
    async with client(inbox.accept) as http:
        answer = await http.post(PATH, content=body, headers=headers(body, "star"))
    assert answer.status_code == 202


async def test_a_sender_who_goes_away_gets_nothing_and_leaves_nothing(inbox: Inbox) -> None:
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": COMMENT[:100], "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    receiver = Receiver(secrets=[Secret(SECRET)], accept=inbox.accept)
    assert await answer_of(receiver, headers(COMMENT), receive) is None
    assert inbox.deliveries == []


async def test_a_body_that_never_ends_is_given_up(inbox: Inbox) -> None:
    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    receiver = Receiver(secrets=[Secret(SECRET)], accept=inbox.accept, max_seconds=0)
    assert await answer_of(receiver, headers(COMMENT), receive) == 408


async def test_a_store_that_cannot_commit_is_a_500_that_tells_an_id_only() -> None:  # ag-B03
    async def accept(_delivery: Delivery) -> Accepted:
        raise OSError("disk full at /var/lib/secret")

    with capture_logs() as logs:
        async with client(accept) as http:
            answer = await http.post(PATH, content=COMMENT, headers=headers(COMMENT))
    assert answer.status_code == 500
    assert "disk" not in answer.text
    assert "Traceback" not in answer.text
    (entry,) = logs
    assert (entry["event"], entry["error_id"], entry["delivery"]) == (
        "delivery_not_accepted",
        answer.json()["error"],
        "d-1",
    )
    assert entry["exc_info"]


async def test_others_are_answered_while_one_delivery_is_being_stored(inbox: Inbox) -> None:  # ag-B01
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def accept(delivery: Delivery) -> Accepted:
        if delivery.guid == "slow":
            begun.set()
            await go_on.wait()
        return await inbox.accept(delivery)

    async with client(accept) as http, asyncio.TaskGroup() as tasks:
        slow = tasks.create_task(http.post(PATH, content=COMMENT, headers=headers(COMMENT, delivery="slow")))
        await begun.wait()
        assert (await http.get("/healthz")).text == "ok"
        quick = await http.post(PATH, content=COMMENT, headers=headers(COMMENT, delivery="quick"))
        assert quick.status_code == 202
        assert not slow.done()
        go_on.set()
    assert slow.result().status_code == 202


async def test_others_are_answered_while_a_large_body_is_being_read(inbox: Inbox) -> None:  # ag-B01
    body = b'{"a": [' + b'{"a": 1},' * 150_000 + b"1]}"
    async with client(inbox.accept) as http, asyncio.TaskGroup() as tasks:
        large = tasks.create_task(http.post(PATH, content=body, headers=headers(body, "star", "large")))
        # The large one runs up to where it first waits, which must be before it was read.
        await asyncio.sleep(0)
        await http.post(PATH, content=COMMENT, headers=headers(COMMENT, delivery="small"))
    assert large.result().status_code == 202
    assert [delivery.guid for delivery in inbox.deliveries] == ["small", "large"]


async def answer_of(receiver: Receiver, sent: Headers, receive: Callable[[], Awaitable[dict[str, Any]]]) -> int | None:
    """Return the status of the receiver's answer to a request at ASGI's own level, None without one."""
    answers: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        answers.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
    }
    await receiver(scope, receive, send)
    return answers[0]["status"] if answers else None
