"""The directory of a demo, and the port of its tracker."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli.main import app, main
from bot.demo.place import MARK, demo_directory
from bot.demo.run import run_demo
from bot.errors import AddressError, ConfigError


@pytest.fixture
def taken() -> Iterator[int]:
    """Give a port on which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield int(other.getsockname()[1])


def test_a_demo_begins_with_an_empty_directory(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "demo"
    for _ in range(2):
        with demo_directory(place):
            assert [entry.name for entry in place.iterdir()] == [MARK]
            (place / "bot.log").touch()
            (place / "git" / "acme").mkdir(parents=True)
            (place / "link").symlink_to(tmp_path)
    assert tmp_path.exists()


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("irreplaceable")
    with pytest.raises(ConfigError, match="holds something else than a demo"), demo_directory(tmp_path):
        pass
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_directory_in_which_a_demo_runs_is_left_alone(tmp_path: Path) -> None:
    with demo_directory(tmp_path):
        (tmp_path / "tracker.db").touch()
        with pytest.raises(ConfigError, match=f"a demo runs in {tmp_path} already"), demo_directory(tmp_path):
            pass
        assert (tmp_path / "tracker.db").exists()


def test_a_place_that_cannot_be_a_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="cannot be used: Not a directory"),
        demo_directory(tmp_path / "file" / "demo"),
    ):
        pass


async def test_a_taken_port_is_said_before_an_earlier_demo_is_removed(tmp_path: Path, taken: int) -> None:
    with demo_directory(tmp_path):
        (tmp_path / "bot.log").touch()
    with pytest.raises(AddressError, match=f"cannot listen on 127.0.0.1:{taken}: .*; name another port with DEMO_PORT"):
        await run_demo(tmp_path, port=taken, once=True)
    assert (tmp_path / "bot.log").exists()


def test_the_port_comes_from_the_environment(
    tmp_path: Path, taken: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEMO_PORT", str(taken))
    monkeypatch.setattr(sys, "argv", ["trackside", "demo", "--once", "--directory", str(tmp_path / "demo")])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 1
    assert capsys.readouterr().err == (
        f"trackside: cannot listen on 127.0.0.1:{taken}: Address already in use; name another port with DEMO_PORT\n"
    )
    assert not (tmp_path / "demo").exists()


@pytest.mark.parametrize("port", ["0", "65536", "here"])
def test_a_port_that_is_none_is_a_usage_error(port: str) -> None:
    answer = CliRunner().invoke(app, ["demo"], env={"DEMO_PORT": port})
    assert answer.exit_code == 2
    assert "DEMO_PORT" in answer.stderr
