from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from bot.domain.turn import Turn
from bot.executors.toolbelt import routes, spool, wire
from bot.executors.toolbelt.send import NotRecordedError, declare

REVIEW = Turn(status="review", comment="Please look. ö")
DONE = Turn(status="done")


class Recorder:
    """The host's side: knows one token, and keeps what was declared under it."""

    def __init__(self) -> None:
        self.token = secrets.token_hex()
        self.turns: list[Turn] = []

    async def record(self, token: str, turn: Turn) -> bool:
        if token != self.token:
            return False
        self.turns.append(turn)
        return True


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def client(recorder: Recorder) -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(routes.router(recorder.record))
    transport = httpx.ASGITransport(app)
    headers = {"Authorization": f"Bearer {recorder.token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://host", headers=headers) as client:
        yield client


async def test_a_turn_is_recorded_under_its_token(client: httpx.AsyncClient, recorder: Recorder) -> None:
    answer = await client.post("/toolbelt/turn", json={"status": "review", "comment": REVIEW.comment})
    assert answer.status_code == 204
    assert recorder.turns == [REVIEW]


async def test_a_comment_may_be_left_out(client: httpx.AsyncClient, recorder: Recorder) -> None:
    assert (await client.post("/toolbelt/turn", json={"status": "done"})).status_code == 204
    assert recorder.turns == [DONE]


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer ", "Basic abc", "Bearer unknown"])
async def test_a_token_that_nobody_holds_records_nothing(
    client: httpx.AsyncClient, recorder: Recorder, authorization: str
) -> None:
    answer = await client.post("/toolbelt/turn", json={"status": "done"}, headers={"Authorization": authorization})
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert recorder.turns == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "is an object"),
        (b'{"status": "done", "usd": 1}', "is an object"),
        (b"{}", "needs a 'status'"),
        (b'{"status": "done", "comment": null}', "are text"),
        (b'{"status": "Done"}', "lower-case letter"),
        (b'{"status": "done", "comment": "\\ud800"}', "surrogate"),
        (b'{"status": "done", "comment": "\\u0000"}', "null character"),
    ],
)
async def test_a_turn_of_another_shape_is_refused_with_the_reason(
    client: httpx.AsyncClient, recorder: Recorder, body: bytes, reason: str
) -> None:  # C-92
    answer = await client.post("/toolbelt/turn", content=body)
    assert answer.status_code == 400
    assert reason in answer.json()["detail"]
    assert recorder.turns == []


async def test_a_body_over_the_limit_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65536
            yield b" " * 65536

    assert (await client.post("/toolbelt/turn", content=endless())).status_code == 413
    assert sent <= wire.BODY_LIMIT + 2 * 65536


def test_the_last_spooled_turn_wins(tmp_path: Path) -> None:
    assert spool.latest(tmp_path) is None
    for number in range(11):
        spool.put(tmp_path, Turn(status=f"turn-{number}"))
    # not in the order of names, in which 9 is after 11
    assert spool.latest(tmp_path) == Turn(status="turn-10")


@pytest.mark.timeout(20)
def test_what_is_no_turn_in_the_spool_is_passed_over(tmp_path: Path) -> None:
    spool.put(tmp_path, REVIEW)
    (tmp_path / "2.json").write_bytes(b"\xff")
    (tmp_path / "3.json").symlink_to(tmp_path / "1.json")
    (tmp_path / "4.json").mkdir()
    os.mkfifo(tmp_path / "5.json")
    (tmp_path / "6.json").write_bytes(b'{"status": "done"}' + b" " * wire.BODY_LIMIT)
    (tmp_path / "seven.json").write_bytes(wire.encode(DONE))
    (tmp_path / ".8.json.abc").write_bytes(wire.encode(DONE))
    assert spool.latest(tmp_path) == REVIEW


def test_a_turn_is_spooled_when_there_is_no_host(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    declare(REVIEW, {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": ""})
    assert spool.latest(tmp_path / "spool") == REVIEW


@pytest.mark.parametrize("api", ["http://127.0.0.1:{port}", "no address", "http://[", "http://127.0.0.1:x"])
def test_a_turn_is_spooled_when_the_host_does_not_answer(tmp_path: Path, api: str) -> None:
    (tmp_path / "spool").mkdir()
    with socket.socket() as unheard:
        # bound, but nobody listens
        unheard.bind(("127.0.0.1", 0))
        address = api.replace("{port}", str(unheard.getsockname()[1]))
        declare(REVIEW, {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": address})
    assert spool.latest(tmp_path / "spool") == REVIEW


def test_outside_a_run_nothing_is_recorded() -> None:
    with pytest.raises(NotRecordedError, match="not a run"):
        declare(REVIEW, {})


@contextmanager
def answering(status: int, body: bytes = b"") -> Iterator[str]:
    """Serve one declaration, with this answer."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            if body:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            thread.join()


def test_a_turn_that_the_host_recorded_supersedes_spooled_ones(tmp_path: Path) -> None:
    directory = tmp_path / "spool"
    directory.mkdir()
    spool.put(directory, REVIEW)
    with answering(204) as api:
        declare(DONE, {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": api})
    assert spool.latest(directory) is None


@pytest.mark.parametrize("status", [404, 500, 502])
def test_a_turn_is_spooled_when_the_answer_is_not_the_hosts(tmp_path: Path, status: int) -> None:
    (tmp_path / "spool").mkdir()
    with answering(status, b"<html>") as api:
        declare(REVIEW, {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": api})
    assert spool.latest(tmp_path / "spool") == REVIEW


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [(401, b'{"detail": "no such token"}', "no such token"), (400, b"?", "refused"), (413, b"[]", "refused")],
)
def test_a_refused_turn_is_not_spooled(tmp_path: Path, status: int, body: bytes, reason: str) -> None:
    (tmp_path / "spool").mkdir()
    with answering(status, body) as api, pytest.raises(NotRecordedError, match=reason):
        declare(REVIEW, {"TRACKSIDE_RUN": str(tmp_path), "TRACKSIDE_API": api})
    assert spool.latest(tmp_path / "spool") is None
