"""``trackside init`` and ``trackside doctor`` as they are typed."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.host.config import load_config

NOBODY = "http://127.0.0.1:1"
"""Where no tracker answers."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TRACKSIDE_TOKEN", "TRACKSIDE_KEY", "TRACKSIDE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "trackside.toml"


def init(place: Path, typed: str, *more: str) -> str:
    result = CliRunner().invoke(app, ["init", "--token", "--tracker", NOBODY, "-c", str(place), *more], input=typed)
    assert result.exit_code == 2, result.output
    return result.output


def test_init_asks_for_what_it_is_not_told_and_does_not_show_the_token(place: Path) -> None:
    token = secrets.token_hex()
    output = init(place, f"owner/name\n{token}\n")
    assert "Repository" in output
    assert "is written" in output
    assert token not in output
    config = load_config(place, {})
    assert config.repositories == ("owner/name",)
    assert config.token.get_secret_value() == token


def test_init_asks_for_nothing_that_it_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACKSIDE_TOKEN", secrets.token_hex())
    assert "Repository (" not in init(place, "", "--repository", "owner/name")


def test_the_doctor_writes_each_finding_with_its_cure_and_ends_with_the_worst(place: Path) -> None:
    init(place, f"{secrets.token_hex()}\n", "--repository", "owner/name")
    result = CliRunner().invoke(app, ["doctor", "-c", str(place)])
    assert result.exit_code == 2
    assert "✓ configuration: " in result.output
    assert "✗ credentials: the tracker cannot be reached" in result.output
    assert "    → look at tracker.url" in result.output


def test_the_doctor_writes_one_object_a_line_for_programs(place: Path) -> None:
    init(place, f"{secrets.token_hex()}\n", "--repository", "owner/name")
    result = CliRunner().invoke(app, ["doctor", "--json", "-c", str(place)])
    found = [json.loads(line) for line in result.output.splitlines()]
    assert {frozenset(each) for each in found} == {frozenset({"check", "severity", "text", "cure"})}
    assert found[-1]["severity"] == "error"


def test_a_configuration_that_is_not_there_is_a_finding(place: Path) -> None:
    result = CliRunner().invoke(app, ["doctor", "-c", str(place)])
    assert result.exit_code == 2
    assert "✗ configuration: " in result.output
