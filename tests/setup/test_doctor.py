"""What the doctor finds, each with its cure."""

from __future__ import annotations

import secrets
from pathlib import Path

import httpx
import pytest

from bot.clock import SystemClock
from bot.demo.world import BOT, REPOSITORY, furnish
from bot.errors import ConfigError
from bot.host.config import load_config
from bot.setup.doctor import examine
from bot.setup.finding import Severity, worst
from bot.setup.local import data_directory
from bot.setup.remote import arriving, events, labels
from bot.setup.token import set_up
from bot.trackers.embedded.tracker import EmbeddedTracker
from bot.trackers.inspection import Attempt, Hook


def written(tmp_path: Path, *, force: bool = False) -> Path:
    path = tmp_path / "trackside.toml"
    set_up(
        path,
        token=secrets.token_hex(),
        repository="owner/name",
        tracker="https://github.example/api/v3",
        force=force,
        environment={},
    )
    return path


def answer(request: httpx.Request) -> httpx.Response:
    path = request.url.path.removeprefix("/api/v3")
    if path == "/user":
        return httpx.Response(
            200, json={"login": "bot"}, headers={"x-ratelimit-remaining": "9", "x-ratelimit-limit": "100"}
        )
    if path == "/repos/owner/name":
        return httpx.Response(200, json={"permissions": {"push": True}})
    if path.endswith("/pulls"):
        return httpx.Response(403, json={"message": "Resource not accessible by personal access token"})
    return httpx.Response(200, json=[])


def test_init_writes_what_can_be_read_and_never_over_what_is_there(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert load_config(path, {}).repositories == ("owner/name",)
    before = path.read_text()
    with pytest.raises(ConfigError, match="--force"):
        written(tmp_path)
    assert path.read_text() == before
    written(tmp_path, force=True)


@pytest.mark.usefixtures("no_token")
async def test_a_missing_permission_and_a_low_quota_are_named_with_their_cures(tmp_path: Path) -> None:
    found = [each async for each in examine(written(tmp_path), SystemClock(), httpx.MockTransport(answer))]
    bad = {each.check: each for each in found if each.severity is not Severity.FINE}
    assert set(bad) == {"permission", "quota"}
    assert "pull_requests" in bad["permission"].cure
    assert worst(found) is Severity.ERROR


@pytest.mark.usefixtures("no_token")
async def test_a_token_that_is_not_taken_is_said_and_nothing_more_is_asked(tmp_path: Path) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(401, json={"message": "Bad credentials"}))
    found = [each async for each in examine(written(tmp_path), SystemClock(), transport)]
    assert found[-1].check == "credentials"
    assert "401" in found[-1].text
    assert "make a new token" in found[-1].cure


@pytest.mark.usefixtures("no_token")
async def test_a_bot_that_was_just_set_up_is_fine(tmp_path: Path) -> None:
    address = "http://127.0.0.1:9"
    async with (
        httpx.AsyncClient() as client,
        EmbeddedTracker.open(
            tmp_path / "tracker.db", tmp_path / "git", clock=SystemClock(), client=client, base_url=address
        ) as tracker,
    ):
        token = (await furnish(tracker)).of(BOT)
        path = tmp_path / "trackside.toml"
        set_up(path, token=token, repository=REPOSITORY, tracker=address, force=False, environment={})
        found = [each async for each in examine(path, SystemClock(), httpx.ASGITransport(tracker.app))]
    assert [each for each in found if each.severity is not Severity.FINE] == []
    assert f"the bot may write to {REPOSITORY}" in {each.text for each in found}


@pytest.fixture
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRACKSIDE_TOKEN", raising=False)


@pytest.mark.parametrize(
    ("status", "said"), [(401, "secret"), (0, "did not arrive"), (502, "did not arrive"), (404, "answered with 404")]
)
def test_how_the_latest_delivery_was_answered_tells_what_is_wrong(status: int, said: str) -> None:
    (finding,) = arriving("o/n", [Attempt(status=status), Attempt(status=202)])
    assert said in finding.text
    assert "Redeliver" in finding.cure
    assert arriving("o/n", [Attempt(status=202)])[0].severity is Severity.FINE


def test_an_event_that_is_not_sent_is_named() -> None:
    hook = Hook(id=1, url="", active=True, events=("issues", "issue_comment", "pull_request"))
    assert "pull_request_review" in events("o/n", hook).text


def test_a_directory_on_a_network_file_system_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nhost:/b {tmp_path} nfs4 rw 0 0\n")
    assert data_directory(tmp_path, mounts).severity is Severity.ERROR
    mounts.write_text("/dev/a / ext4 rw 0 0\n")
    assert data_directory(tmp_path, mounts).severity is Severity.FINE


def test_labels_without_playbooks_are_fine() -> None:
    assert labels("o/n", ["a"], ())[0].severity is Severity.FINE
