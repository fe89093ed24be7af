"""The encrypted store: what it keeps, from whom, and how it fails."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from bot.errors import ConfigError
from bot.host.config import load_config
from bot.host.secret_store import KEY, OWN_KEY, STORE, SecretStore, beneath
from bot.host.sections import TOKEN


def test_what_is_stored_is_private_encrypted_and_comes_back(tmp_path: Path) -> None:
    token = secrets.token_hex()
    SecretStore(tmp_path, {}).keep({TOKEN: token})
    assert SecretStore(tmp_path, {}).read() == {TOKEN: token}
    assert token.encode() not in (tmp_path / STORE).read_bytes()
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {STORE: 0o600, OWN_KEY: 0o600}


def test_another_key_or_a_changed_file_is_refused_without_a_word_of_what_is_in_it(tmp_path: Path) -> None:
    token = secrets.token_hex()
    SecretStore(tmp_path, {}).keep({TOKEN: token})
    with pytest.raises(ConfigError, match="the key is not the one") as caught:
        SecretStore(tmp_path, {KEY: Fernet.generate_key().decode()}).read()
    assert token not in str(caught.value)
    sealed = (tmp_path / STORE).read_bytes()
    (tmp_path / STORE).write_bytes(sealed[:-8])
    with pytest.raises(ConfigError, match="the file was changed"):
        SecretStore(tmp_path, {}).read()


def test_what_is_no_key_is_named_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=KEY):
        SecretStore(tmp_path, {KEY: "short"}).keep({TOKEN: secrets.token_hex()})


def test_what_the_environment_sets_wins() -> None:
    stored = {TOKEN: "stored", "OTHER": "stored"}
    assert beneath({TOKEN: "given"}, stored) == {TOKEN: "given", "OTHER": "stored"}
    assert beneath({TOKEN: " "}, stored)[TOKEN] == "stored"


def test_a_configuration_is_read_with_what_is_stored(tmp_path: Path) -> None:
    token = secrets.token_hex()
    SecretStore(tmp_path / "data", {}).keep({TOKEN: token})
    file = tmp_path / "trackside.toml"
    file.write_text('data = "data"\nrepositories = ["owner/name"]\n', encoding="utf-8")
    config = load_config(file, {})
    assert config.token.get_secret_value() == token
    assert token in config.hidden
    assert token not in repr(config)
