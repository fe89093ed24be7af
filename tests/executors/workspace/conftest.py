from __future__ import annotations

from pathlib import Path

import pytest

from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspaces
from tests.executors.workspace.repositories import Remote


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote.make(tmp_path / "tracker")


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(root=tmp_path / "workspaces", git=Git())
