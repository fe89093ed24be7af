"""The doctor changes nothing, and setting up again loses nothing."""

from __future__ import annotations

import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.host.config import load_config
from bot.host.secret_store import KEY, STORE, SecretStore
from bot.host.sections import TOKEN
from bot.host.store import FILE, open_store
from bot.setup import local
from bot.setup.finding import Severity
from bot.setup.token import set_up
from bot.setup.write import DATA
from bot.storage.runner import ThreadRunner
from tests.clock import START


def init(path: Path, token: str, *, force: bool = False) -> None:
    set_up(path, token=token, repository="o/n", tracker="https://t.example", force=force, environment={})


def contents(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in directory.iterdir()}


async def test_an_older_database_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "trackside.toml"
    init(path, secrets.token_hex())
    config = load_config(path, {})
    await (await open_store(config, ThreadRunner())).close()
    current, _ = await local.database(config, START)
    assert current.text == "it can be used"
    with closing(sqlite3.connect(config.data / FILE, isolation_level=None)) as connection:
        connection.execute("DELETE FROM schema_migrations WHERE version > 1")
    before = contents(config.data)
    (older,) = await local.database(config, START)
    assert "serve upgrades it" in older.text
    assert older.severity is Severity.FINE
    assert contents(config.data) == before


async def test_a_database_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "trackside.toml"
    init(path, secrets.token_hex())
    config = load_config(path, {})
    before = contents(config.data)
    (found,) = await local.database(config, START)
    assert "none yet" in found.text
    assert contents(config.data) == before


async def test_a_database_that_cannot_be_read_or_is_newer_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "trackside.toml"
    init(path, secrets.token_hex())
    config = load_config(path, {})
    await (await open_store(config, ThreadRunner())).close()
    with closing(sqlite3.connect(config.data / FILE, isolation_level=None)) as connection:
        connection.execute("INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, 'later', 'x')")
    (newer,) = await local.database(config, START)
    assert newer.severity is Severity.ERROR
    (config.data / FILE).write_bytes(b"no database" * 100)
    (broken,) = await local.database(config, START)
    assert broken.severity is Severity.ERROR


def test_a_missing_data_directory_is_told_and_not_made(tmp_path: Path) -> None:
    found = local.data_directory(tmp_path / "a" / "b")
    assert found.severity is Severity.FINE
    assert "serve makes it" in found.text
    assert not (tmp_path / "a").exists()


def test_a_data_directory_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert local.data_directory(tmp_path / "data").severity is Severity.ERROR
    assert local.data_directory(tmp_path / "data" / "below").severity is Severity.ERROR


def test_init_again_keeps_what_else_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "trackside.toml"
    SecretStore(tmp_path / DATA, {}).keep({"OTHER": "kept", TOKEN: "old"})
    token = secrets.token_hex()
    init(path, token, force=True)
    assert SecretStore(tmp_path / DATA, {}).read() == {"OTHER": "kept", TOKEN: token}


@pytest.mark.parametrize("stored", [{}, {TOKEN: "old", "OTHER": "kept"}])
def test_a_configuration_that_cannot_be_written_leaves_the_store_as_it_was(
    tmp_path: Path, stored: dict[str, str]
) -> None:
    path = tmp_path / "trackside.toml"
    path.mkdir()
    store = SecretStore(tmp_path / DATA, {})
    store.keep(stored)
    with pytest.raises(ConfigError, match="cannot be written"):
        init(path, secrets.token_hex(), force=True)
    assert store.read() == stored
    assert store.path.exists() == bool(stored)
    assert {each.name for each in tmp_path.iterdir()} <= {"trackside.toml", DATA}


def test_where_secrets_are_is_said_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "trackside.toml"
    init(path, secrets.token_hex())
    config = load_config(path, {})
    assert "beside them" in local.secrets(config, {}).text
    assert "elsewhere" in local.secrets(config, {KEY: "any"}).text
    (config.data / STORE).unlink()
    assert "none are stored" in local.secrets(config, {}).text
