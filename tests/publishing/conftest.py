from __future__ import annotations

from pathlib import Path

import pytest

from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspace, Workspaces
from bot.ids import WorkId
from tests.executors.workspace.repositories import Remote

WORK = WorkId("wrk-one")
BRANCH = "trackside/42-fix-login"


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote.make(tmp_path / "tracker")


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(root=tmp_path / "workspaces", git=Git())


@pytest.fixture
async def workspace(remote: Remote, workspaces: Workspaces) -> Workspace:
    return await workspaces.prepare(remote.source, WORK, BRANCH)
