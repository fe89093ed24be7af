"""Whom the bot acts as: read from the environment and the encrypted store, one identity and no other."""

from __future__ import annotations

import secrets
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.errors import ConfigError, TrackerError
from bot.host.app import Surroundings, open_host
from bot.host.config import Config, load_config
from bot.host.git_tokens import repository_at
from bot.host.identity import APP_KEY, APP_KEY_FILE
from bot.host.secret_store import KEY, SecretStore
from bot.host.sections import TOKEN
from bot.storage.runner import InlineRunner
from tests.clock import FakeClock
from tests.trackers.github.apps import AppServer, pem

PLAIN = 'data = "state"\nrepositories = ["acme/greeter"]\n'
APP = f"{PLAIN}[tracker]\napp_id = 12345\n"


def loaded(place: Path, text: str, environment: dict[str, str]) -> Config:
    path = place / "trackside.toml"
    path.write_text(text)
    return load_config(path, environment)


def test_an_app_is_its_id_and_its_key(tmp_path: Path) -> None:
    config = loaded(tmp_path, APP, {APP_KEY: f"{pem()}\n"})
    assert config.tracker.app_id == 12345
    assert config.app_key.get_secret_value() == pem().strip()
    assert config.token.get_secret_value() == ""


def test_a_key_on_one_line_is_the_same_key(tmp_path: Path) -> None:
    config = loaded(tmp_path, APP, {APP_KEY: pem().replace("\n", "\\n")})
    assert config.app_key.get_secret_value().strip() == pem().strip()


def test_a_key_can_be_in_a_file_and_the_variable_with_the_key_itself_wins(tmp_path: Path) -> None:
    file = tmp_path / "app.pem"
    file.write_text(pem())
    assert loaded(tmp_path, APP, {APP_KEY_FILE: str(file)}).app_key.get_secret_value() == pem().strip()
    both = {APP_KEY: pem(), APP_KEY_FILE: "/nowhere"}
    assert loaded(tmp_path, APP, both).app_key.get_secret_value() == pem().strip()


def test_a_key_that_is_stored_is_used_until_the_environment_has_another(tmp_path: Path) -> None:
    environment = {KEY: "A" * 43 + "="}
    SecretStore(tmp_path / "state", environment).keep({APP_KEY: pem()})
    assert loaded(tmp_path, APP, environment).app_key.get_secret_value() == pem().strip()
    with pytest.raises(ConfigError, match=f"^{APP_KEY}: is not the private key"):
        loaded(tmp_path, APP, {**environment, APP_KEY: "another"})


# gh-S-04
def test_the_key_shows_nowhere_and_is_cut_out_of_texts(tmp_path: Path) -> None:
    config = loaded(tmp_path, APP, {APP_KEY: pem()})
    line = pem().splitlines()[3]
    assert line not in repr(config)
    assert line not in config.model_dump_json()
    assert pem().strip() in config.hidden


@pytest.mark.parametrize("text", [PLAIN, APP])
def test_an_account_and_an_app_at_once_are_refused(tmp_path: Path, text: str) -> None:
    token = secrets.token_hex()
    for key in ({}, {APP_KEY: pem()}):
        if text == PLAIN and not key:
            continue
        with pytest.raises(ConfigError, match="one account or one App; take out either") as caught:
            loaded(tmp_path, text, {TOKEN: token, **key})
        assert token not in str(caught.value)


def test_half_of_an_app_is_told_by_its_other_half(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"private key is missing; set {APP_KEY} to it, or {APP_KEY_FILE}"):
        loaded(tmp_path, APP, {})
    with pytest.raises(ConfigError, match=f"tracker.app_id: is missing; {APP_KEY} holds"):
        loaded(tmp_path, PLAIN, {APP_KEY: pem()})


@pytest.mark.parametrize("kind", ["text", "elliptic", "cut"])
def test_a_key_that_is_none_is_refused_and_nothing_of_it_is_told(tmp_path: Path, kind: str) -> None:
    elliptic = ec.generate_private_key(ec.SECP256R1())
    value = {
        "text": secrets.token_hex(),
        "elliptic": elliptic.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "cut": "\n".join(pem().splitlines()[:-3]),
    }[kind]
    with pytest.raises(ConfigError, match=f"^{APP_KEY}: is not the private key of an App: .*make a new one") as caught:
        loaded(tmp_path, APP, {APP_KEY: value})
    assert value.splitlines()[-1] not in str(caught.value)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_of_a_key_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "app.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=f"^{APP_KEY_FILE}: .*app.pem cannot be read: "):
        loaded(tmp_path, APP, {APP_KEY_FILE: str(file)})


@pytest.mark.parametrize("value", ["-1", "'12'", "true", "1.5"])
def test_an_id_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigError, match="app_id"):
        loaded(tmp_path, f"{PLAIN}[tracker]\napp_id = {value}\n", {APP_KEY: pem()})


def test_a_key_does_not_belong_in_the_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="app_key: secrets do not belong in a file"):
        loaded(tmp_path, f"{APP}app_key = 'x'\n", {APP_KEY: pem()})


@pytest.mark.parametrize(
    "remote",
    ["https://github.example/acme/shop.git", "https://host/git/acme/shop", "http://x@host:80/acme/shop.git/"],
)
def test_the_repository_of_an_address_is_its_last_two_parts(remote: str) -> None:
    assert repository_at(remote) == "acme/shop"


def on_this_machine(place: Path) -> Config:
    tracker = '[tracker]\nurl = "https://tracker.test"\napp_id = 12345\n'
    return loaded(place, f"{PLAIN}{tracker}", {APP_KEY: pem()})


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (401, f"tracker.app_id and {APP_KEY} must be of one App there", ConfigError),
        (404, "the tracker does not know /app", TrackerError),
    ],
)
async def test_an_app_that_the_tracker_does_not_take_is_said_before_anything_is_started(
    tmp_path: Path, status: int, message: str, error: type[Exception]
) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(status, json={"message": "no"}))
    around = Surroundings(clock=FakeClock(), runner=InlineRunner(), transport=transport)
    with pytest.raises(error, match=f"^https://tracker.test: .*{message}"):
        async with open_host(on_this_machine(tmp_path), around):
            pass


async def test_an_app_that_is_installed_nowhere_is_said_with_what_to_do(tmp_path: Path) -> None:
    server = AppServer()
    around = Surroundings(clock=server.clock, runner=InlineRunner(), transport=server.transport)
    with pytest.raises(TrackerError, match=r"^https://tracker.test: .*install it on the repositories"):
        async with open_host(on_this_machine(tmp_path), around):
            pass
