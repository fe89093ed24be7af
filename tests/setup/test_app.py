"""What the doctor finds where the bot is a GitHub App, at the App and at each of its installations."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import httpx
import pytest

from bot.clock import HOUR, Millis
from bot.demo.world import REPOSITORY, furnish
from bot.host.identity import APP_KEY, APP_KEY_FILE
from bot.setup.doctor import examine
from bot.setup.finding import Finding, Severity
from bot.setup.key_file import key_file
from bot.trackers.embedded.apps import Manifest
from bot.trackers.embedded.tracker import EmbeddedTracker
from bot.trackers.github.permissions import EVENTS, NEWER_EVENTS, PERMISSIONS
from tests.clock import FakeClock
from tests.trackers.github.apps import APP, SLUG, AppServer, pem

PUBLIC = "https://bot.example/webhooks/github"


@pytest.fixture
def server() -> AppServer:
    made = AppServer(base="/api/v3", hook={"url": PUBLIC, "secret": "********"}, deliveries=[202])
    made.install(1, "acme", "shop").repositories.add("acme/till")
    made.answers = {
        ("GET", f"/repos/acme/{name}/labels"): lambda _: httpx.Response(200, json=[]) for name in ("shop", "till")
    }
    return made


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TRACKSIDE_TOKEN", raising=False)
    monkeypatch.setenv(APP_KEY, pem())
    monkeypatch.setenv("TRACKSIDE_WEBHOOK_SECRETS", secrets.token_hex())
    path = tmp_path / "trackside.toml"
    _serve(path, "acme/shop")
    return path


def _serve(place: Path, *names: str, tracker: str = "https://tracker.test/api/v3", app: int = APP) -> None:
    settings = f'[tracker]\nurl = "{tracker}"\napp_id = {app}\n'
    place.write_text(f'data = "data"\nrepositories = {json.dumps(names)}\n{settings}')


async def found(place: Path, server: AppServer, *, clock: FakeClock | None = None, url: str = "") -> list[Finding]:
    looking = examine(place, clock or server.clock, server.transport, url=url)
    return [each async for each in looking]


async def bad(place: Path, server: AppServer, *, url: str = "") -> dict[str, Finding]:
    return {each.check: each for each in await found(place, server, url=url) if each.severity is not Severity.FINE}


@pytest.mark.parametrize("url", ["", "https://bot.example/", PUBLIC])
async def test_an_app_that_has_all_that_is_needed_is_fine(place: Path, server: AppServer, url: str) -> None:
    said = await found(place, server, url=url)
    assert [each for each in said if each.severity is not Severity.FINE] == []
    assert f"the bot is {SLUG}[bot]" in {each.text for each in said}
    assert "acme/shop: number 1, on acme" in {each.text for each in said}


async def test_a_permission_that_the_app_does_not_ask_for_is_told_once(place: Path, server: AppServer) -> None:
    for granted in (server.permissions, server.installed[0].permissions):
        del granted["checks"]
        granted["contents"] = "read"
    said = [each for each in await found(place, server) if each.severity is not Severity.FINE]
    assert [each.text for each in said] == [
        "the App does not ask for checks: write",
        "the App does not ask for contents: write",
    ]
    assert "accept it at each installation" in said[0].cure


async def test_a_permission_that_an_owner_has_not_accepted_is_told_with_the_page_where_they_do(
    place: Path, server: AppServer
) -> None:
    server.installed[0].permissions["issues"] = "read"
    said = await bad(place, server)
    assert said["permission"].text == "acme/shop: issues: write is not accepted yet"
    assert "let acme accept" in said["permission"].cure
    assert said["permission"].cure.endswith("https://tracker.test/settings/installations/1")


async def test_more_than_is_needed_is_no_fault(place: Path, server: AppServer) -> None:
    for granted in (server.permissions, server.installed[0].permissions):
        granted |= {"issues": "admin", "metadata": "write", "packages": "read"}
    assert await bad(place, server) == {}


async def test_an_event_that_is_not_sent_is_told_unless_only_newer_servers_have_it(
    place: Path, server: AppServer
) -> None:
    server.events = [each for each in EVENTS if each not in NEWER_EVENTS]
    assert await bad(place, server) == {}
    server.events.remove("issue_comment")
    server.installed[0].events.remove("issue_comment")
    said = [each.text for each in await found(place, server) if each.severity is not Severity.FINE]
    assert said == ["the App is not subscribed to issue_comment"]
    server.events = list(EVENTS)
    assert (await bad(place, server))["event"].text == "acme/shop: issue_comment is not sent for this installation yet"


@pytest.mark.parametrize(
    ("hook", "url", "text"),
    [
        (None, "", "has no webhook, so nothing arrives"),
        ({"url": "", "secret": "********"}, "", "has no webhook, so nothing arrives"),
        ({"url": "https://bot.example/", "secret": "********"}, "", "the App sends to https://bot.example/"),
        ({"url": PUBLIC, "secret": "********"}, "https://other.example", f"the App sends to {PUBLIC}"),
        ({"url": PUBLIC}, "", "every delivery is refused"),
    ],
)
async def test_a_webhook_that_does_not_reach_the_bot_is_told(
    place: Path, server: AppServer, hook: dict[str, str] | None, url: str, text: str
) -> None:
    server.hook = hook
    said = await bad(place, server, url=url)
    assert text in said["webhook"].text
    assert said["webhook"].cure


@pytest.mark.parametrize(("status", "cure"), [(401, "same secret"), (502, "start the bot"), (404, "docs/errors.md")])
async def test_deliveries_that_failed_are_told(place: Path, server: AppServer, status: int, cure: str) -> None:
    server.deliveries = [status, 202]
    said = await bad(place, server)
    assert set(said) == {"delivery"}
    assert cure in said["delivery"].cure


async def test_a_bot_that_polls_needs_no_webhook(
    place: Path, server: AppServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRACKSIDE_WEBHOOK_SECRETS")
    server.deliveries = [502]
    assert await bad(place, server) == {}
    server.hook = None
    assert await bad(place, server) == {}


async def test_a_repository_outside_of_every_installation_is_told(place: Path, server: AppServer) -> None:
    _serve(place, "acme/shop", "acme/attic", "acme/till")
    said = [each for each in await found(place, server) if each.severity is not Severity.FINE]
    assert [each.text for each in said] == [
        "the App is not installed on acme/attic, or there is no such repository",
    ]
    assert said[0].check == "installation"


async def test_a_suspended_installation_is_told(place: Path, server: AppServer) -> None:
    server.installed[0].suspended = True
    said = await bad(place, server)
    assert set(said) == {"installation"}
    assert "suspended" in said["installation"].text


# gh-K-03
async def test_a_clock_that_is_off_is_told_and_hides_nothing_else(place: Path, server: AppServer) -> None:
    server.installed[0].permissions["issues"] = "read"
    off = FakeClock(Millis(server.clock.now() + 2 * HOUR))
    said = {each.check for each in await found(place, server, clock=off) if each.severity is Severity.ERROR}
    assert said == {"clock", "permission"}


async def test_a_key_that_is_not_taken_is_told_and_nothing_more_is_asked(place: Path) -> None:
    asked: list[str] = []

    def refuse(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(401, json={"message": "A JSON web token could not be decoded"})

    said = [each async for each in examine(place, FakeClock(), httpx.MockTransport(refuse))]
    assert said[-1].text == "the tracker does not take the App's key (401)"
    assert asked == ["/api/v3/app"]


async def test_an_app_on_the_embedded_tracker_is_fine(place: Path, tmp_path: Path) -> None:
    manifest = Manifest(
        name="Bot", url="https://bot.example", hook_url=PUBLIC, permissions=dict(PERMISSIONS), events=list(EVENTS)
    )
    async with (
        httpx.AsyncClient() as client,
        EmbeddedTracker.open(
            tmp_path / "tracker.db", tmp_path / "git", clock=FakeClock(), client=client, base_url="http://tracker.test"
        ) as tracker,
    ):
        await furnish(tracker)
        app, _ = await tracker.add_app("acme", manifest, pem=pem())
        installation = await tracker.install(app.slug, "acme", [REPOSITORY])
        _serve(place, REPOSITORY, tracker="http://tracker.test", app=app.id)
        transport = httpx.ASGITransport(tracker.app)
        said = [each async for each in examine(place, FakeClock(), transport)]
        assert [each for each in said if each.severity is not Severity.FINE] == []
        await tracker.suspend(installation.id)
        said = [each async for each in examine(place, FakeClock(), transport)]
    assert [each.check for each in said if each.severity is Severity.ERROR] == ["installation"]


def test_a_key_that_others_may_read_is_a_warning(tmp_path: Path) -> None:
    file = tmp_path / "app.pem"
    file.write_text(pem())
    for mode, severity in ((0o600, Severity.FINE), (0o400, Severity.FINE), (0o640, Severity.WARNING)):
        file.chmod(mode)
        (finding,) = key_file({APP_KEY_FILE: str(file)})
        assert finding.severity is severity, oct(mode)
    assert list(key_file({})) == []
    assert list(key_file({APP_KEY: "set", APP_KEY_FILE: str(file)})) == []
