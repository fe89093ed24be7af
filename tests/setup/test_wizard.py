"""What the wizard refuses before it begins, and what it leaves on this machine."""

from __future__ import annotations

import json
import secrets
import stat
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from bot.errors import AddressError, ConfigError, TrackerError
from bot.host.config import load_config
from bot.host.listen import listening
from bot.host.secret_store import SecretStore
from bot.setup.github_app import GithubApps
from bot.setup.manifest import wishes_of
from bot.setup.progress import UNFINISHED, NewApp, keep, unfinished
from bot.setup.run import run
from bot.setup.token import set_up
from bot.setup.wizard import Wizard
from bot.trackers.embedded.apps import new_key
from tests.setup.init_stage import DESCRIBED, Shelf, wizard_at

CODE = "c1"


def wizard(place: Path, environment: dict[str, str] | None = None) -> Wizard:
    nowhere = Shelf(httpx.ASGITransport(httpx.AsyncClient), fails=True)  # type: ignore[arg-type] # never reached
    return wizard_at(place, nowhere, environment or {})


def new_app(key: str = "k") -> NewApp:
    return NewApp(id=7, slug="bot", page="p", tracker="t", hook="", key=key, webhook_secret="")


@pytest.mark.parametrize(
    "name", ["TRACKSIDE_TOKEN", "TRACKSIDE_APP_KEY", "TRACKSIDE_APP_KEY_FILE", "TRACKSIDE_WEBHOOK_SECRETS"]
)
def test_a_variable_that_would_win_over_what_is_stored_is_named_first(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is set"):
        wizard(tmp_path, {name: "x"})


def test_what_an_interrupted_run_left_hides_its_key_and_is_read_again(tmp_path: Path) -> None:
    store = SecretStore(tmp_path, {})
    key = secrets.token_hex()
    keep(store, new_app(key))
    assert unfinished(store) == new_app(key)
    assert key not in repr(unfinished(store))
    assert key.encode() not in store.path.read_bytes()


@pytest.mark.parametrize("left", ["{", "[]", json.dumps({"id": 1})])
def test_what_another_version_left_is_begun_anew(tmp_path: Path, left: str) -> None:
    store = SecretStore(tmp_path, {})
    store.keep({UNFINISHED: left})
    assert unfinished(store) is None


def test_a_token_takes_the_place_of_an_app(tmp_path: Path) -> None:
    """A bot is one account or one App."""
    SecretStore(tmp_path / "data", {}).keep({"TRACKSIDE_APP_KEY": new_key()})
    token = secrets.token_hex()
    path = tmp_path / "trackside.toml"
    set_up(path, token=token, repository="o/n", tracker="http://t.test", force=False, environment={})
    assert load_config(path, {}).token.get_secret_value() == token


@pytest.mark.parametrize("obstacle", ["trackside.toml", ".trackside.toml.new"])
async def test_a_file_that_cannot_be_written_leaves_what_is_stored_as_it_was(tmp_path: Path, obstacle: str) -> None:
    made = wizard(tmp_path)
    made.app = new_app()
    store = SecretStore(tmp_path / "data", {})
    keep(store, made.app)
    before = dict(store.read())
    (tmp_path / obstacle).mkdir()
    with pytest.raises(ConfigError, match="cannot be written"):
        await made.finish(["o/n"], replace=True)
    assert store.read() == before
    assert not (tmp_path / "trackside.toml").is_file()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (httpx.Response(404), "counts once"),
        (httpx.Response(500), "500"),
        (httpx.Response(201, text="no JSON"), "something else than JSON"),
        (httpx.Response(201, json={"id": 7, "slug": "s", "html_url": "h"}), "pem"),
    ],
)
async def test_a_code_that_is_not_exchanged_says_why(answer: httpx.Response, says: str) -> None:
    apps = GithubApps(httpx.MockTransport(lambda _: answer))
    with pytest.raises(TrackerError, match=says):
        await apps.exchange(wishes_of(DESCRIBED), CODE)


async def test_the_browser_is_opened_by_a_private_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    """The address holds a key, and what a program is started with can be read by everybody on the machine."""
    seen: list[Path] = []
    said: list[str] = []
    here = wizard(tmp_path)

    def browse(file: Path) -> None:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        address = said[0].split()[-1]
        assert address in file.read_text()
        assert urlsplit(address).hostname == "127.0.0.1"
        assert "key=" not in str(file)
        seen.append(file)
        here.finished.set()

    await run(here, port=0, browse=browse, say=said.append)
    assert [file.exists() for file in seen] == [False]


async def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with listening("127.0.0.1", 0, cure="-") as listener, pytest.raises(AddressError, match="--port"):
        await run(wizard(tmp_path), port=listener.getsockname()[1], browse=None, say=lambda _: None)
