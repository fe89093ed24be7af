"""``trackside serve`` as a real process."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
import socket
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.host.service import Desk, service, write_config


def delivery() -> dict[str, str]:
    """Return the headers of a delivery that somebody else signed."""
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": "1",
        "X-Hub-Signature-256": f"sha256={secrets.token_hex(32)}",
    }


async def refused(config: Path, token: str) -> tuple[int, list[str]]:
    """Return exit code and output of a start that comes to nothing."""
    async with service(config, token) as started:
        code = await started.ended()
    return code, started.lines


async def test_it_says_that_it_is_alive_and_ready_and_ends_on_sigterm(desk: Desk, tmp_path: Path) -> None:
    async with service(write_config(tmp_path, url=desk.url), desk.token) as started:
        address = (await started.event("serving"))["address"]
        async with httpx.AsyncClient(base_url=address) as client:
            alive, ready = await client.get("/healthz"), await client.get("/readyz")
            unsigned = await client.post("/webhooks/github", json={}, headers=delivery())
        assert (alive.status_code, alive.json()) == (200, {"status": "alive"})
        assert (ready.status_code, ready.json()["status"]) == (200, "ready")
        assert set(ready.json()["passes"]) >= {"sweep", "route", "timers", "recover", "start", "stop", "project"}
        assert unsigned.status_code == 401
        started.send(signal.SIGTERM)
        async with asyncio.timeout(10):
            assert await started.ended() == 0
    events = [json.loads(line)["event"] for line in started.lines]
    assert [event for event in events if event in {"stopping", "ended"}] == ["stopping", "ended"]
    assert events[-1] == "ended"
    assert "Traceback" not in "\n".join(started.lines)


@pytest.mark.parametrize(
    ("first", "second"), [(signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGTERM)], ids=["term", "int"]
)
async def test_a_second_signal_ends_it_at_once(
    desk: Desk, tmp_path: Path, first: signal.Signals, second: signal.Signals
) -> None:
    """A request whose body does not come keeps the first signal from ending it."""
    async with service(write_config(tmp_path, url=desk.url), desk.token) as started:
        address = urlsplit((await started.event("serving"))["address"])
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        head = {"Host": address.netloc, "Expect": "100-continue", "Content-Length": "10", **delivery()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        writer.write(f"POST /webhooks/github HTTP/1.1\r\n{lines}\r\n".encode())
        # the answer to "Expect" shows that the body is waited for
        assert await reader.readline() == b"HTTP/1.1 100 Continue\r\n"
        started.send(first)
        await started.event("stopping")
        started.send(second)
        assert await started.ended() == -second
        writer.close()


async def test_a_tracker_that_hangs_does_not_keep_it_from_ending(tmp_path: Path) -> None:
    """The passes under way get a moment, and are cut off then."""
    asked = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET /user "):
            body = b'{"id": 7, "login": "trackside-bot", "type": "Bot"}'
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        else:
            asked.set()
            await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        config = write_config(tmp_path, url=f"http://127.0.0.1:{port}")
        async with service(config, secrets.token_hex()) as started:
            await asked.wait()
            started.send(signal.SIGTERM)
            assert await started.ended() == 0
        assert "Traceback" not in "\n".join(started.lines)


async def test_a_reload_that_is_asked_for_while_it_starts_ends_nothing_and_is_done_then(tmp_path: Path) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET /user "):
            asked.set()
            await go_on.wait()
            body = b'{"id": 7, "login": "trackside-bot", "type": "Bot"}'
            writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        else:
            await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with service(write_config(tmp_path, url=f"http://127.0.0.1:{port}"), secrets.token_hex()) as started:
            await asked.wait()
            started.send(signal.SIGHUP)
            go_on.set()
            await started.event("reloaded")
            started.send(signal.SIGTERM)
            assert await started.ended() == 0


async def test_a_taken_port_is_said_in_one_line(desk: Desk, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, lines = await refused(write_config(tmp_path, url=desk.url, port=port), desk.token)
    assert code == 1
    assert lines == [f"trackside: cannot listen on 127.0.0.1:{port}: Address already in use; set another server.port"]


async def test_a_tracker_that_cannot_be_reached_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        # bound, and not listened on
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        code, lines = await refused(write_config(tmp_path, url=url), secrets.token_hex())
    assert code == 1
    assert lines == [f"trackside: {url}: the tracker cannot be reached: ConnectError"]


async def test_a_configuration_that_cannot_be_used_is_said_before_anything_is_made(tmp_path: Path) -> None:
    config = write_config(tmp_path, url="http://127.0.0.1:9", settings='{lease = "soon"}', playbook='["a.md"]')
    code, lines = await refused(config, secrets.token_hex())
    assert code == 2
    assert lines == [
        f"trackside: {config}: settings.lease: expected a duration such as 30s, 5m or 1h, not 'soon'",
        f"{config}: playbook: unknown key; did you mean 'playbooks'?",
    ]
    assert not (tmp_path / "bot").exists()
