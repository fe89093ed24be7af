"""An App's deliveries as the adapter reads them, and how one is sent again."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest

from bot.clock import HOUR, Millis
from bot.trackers.embedded.apps import Manifest
from bot.trackers.embedded.tracker import EmbeddedTracker
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.deliveries import MAX_PAGES
from bot.trackers.github.tracker import open_tracker
from tests.trackers.github.apps import identity
from tests.trackers.github.contract import REPO
from tests.trackers.github.documents import BASE
from tests.trackers.github.stage import Ticking

HOOK = "http://bot.test/webhooks/github"


class Receiver:
    """What deliveries are sent to; it may be down."""

    def __init__(self) -> None:
        self.down = True
        self.heard: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            raise httpx.ConnectError("nobody is there", request=request)
        self.heard.append(request.headers["X-GitHub-Delivery"])
        return httpx.Response(HTTPStatus.ACCEPTED)


async def test_what_failed_is_told_and_sent_again_under_its_old_id(tmp_path: Path) -> None:
    receiver, clock = Receiver(), Ticking()
    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(receiver)) as client,
        EmbeddedTracker.open(
            tmp_path / "tracker.db", tmp_path / "git", clock=clock, client=client, base_url=BASE
        ) as embedded,
    ):
        await embedded.add_user("ada")
        await embedded.create_repository("acme", "shop", {"README.md": "# Shop\n"})
        await embedded.grant(REPO, "ada", "admin")
        manifest = Manifest(
            name="Bot", url="https://bot.test", hook_url=HOOK, permissions={"issues": "write"}, events=["issues"]
        )
        app, keys = await embedded.add_app("acme", manifest)
        await embedded.install(app.slug, "acme", [REPO])
        await embedded.deliver_pending()
        await embedded.open_issue(REPO, by="ada", title="One")
        await embedded.deliver_pending()
        who = AppIdentity(id=app.id, key=keys.pem)
        async with open_tracker(
            who, base_url=BASE, transport=httpx.ASGITransport(embedded.app), clock=clock
        ) as tracker:
            made = await tracker.attempts(Millis(0))
            lost = made[-1]
            assert (lost.event, lost.arrived, lost.again) == ("issues", False, False)
            receiver.down = False
            await tracker.redeliver(lost.id)
            await embedded.deliver_pending()
            (again,) = await tracker.attempts(Millis(0), after=lost.id)
    assert receiver.heard == [lost.guid]
    assert (again.guid, again.arrived, again.again) == (lost.guid, True, True)


class Pages:
    """Endless pages of attempts, the newest first, an hour apart."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.asked = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        newest = int(request.url.params.get("cursor", "100000"))
        entries = [
            {
                "id": number,
                "guid": f"guid-{number}",
                "event": "issues",
                "delivered_at": f"2026-12-{1 + number % 28:02}T12:00:00Z",
                "status_code": 502,
                "redelivery": False,
            }
            for number in range(newest, newest - self.size, -1)
        ]
        further = request.url.copy_set_param("cursor", newest - self.size)
        return httpx.Response(200, json=entries, headers={"Link": f'<{further}>; rel="next"'})


@pytest.mark.parametrize(("after", "pages"), [(99_990, 1), (99_850, 2), (0, MAX_PAGES)])
async def test_no_more_is_read_than_is_new_and_never_without_end(after: int, pages: int) -> None:
    server = Pages(100)
    async with open_tracker(identity(), base_url=BASE, transport=httpx.MockTransport(server)) as tracker:
        found = await tracker.attempts(Millis(0), after=after)
    assert server.asked == pages
    assert [each.id for each in found] == list(range(max(after, 100_000 - 100 * MAX_PAGES) + 1, 100_001))


async def test_what_was_attempted_too_long_ago_is_not_read() -> None:
    server = Pages(100)
    long_ago = Millis(4_000_000_000_000 + HOUR)
    token = secrets.token_hex(20)
    async with open_tracker(token, base_url=BASE, transport=httpx.MockTransport(server)) as tracker:
        assert await tracker.attempts(long_ago) == []
    assert server.asked == 1
