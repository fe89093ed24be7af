from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.executors.shell.executor import ShellExecutor
from tests.executors.orders import Host
from tests.executors.supervised import end_everything, left_of


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Path]:
    """Give a state directory, of which no process is left when the test is over."""
    directory = tmp_path / "state"
    yield directory
    end_everything(directory)
    assert left_of(directory) == []


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Give the directory that runs work in."""
    directory = tmp_path / "work"
    directory.mkdir()
    return directory


@pytest.fixture
def executor(state: Path) -> ShellExecutor:
    return ShellExecutor(state, grace=200)


@pytest.fixture
def host() -> Host:
    return Host()
