"""A pull request that is looked at: its own commit, of a fork or not, and nothing that came after."""

from __future__ import annotations

import shutil

import pytest

from bot.errors import WorkspaceError
from bot.executors.workspace.workspaces import Head, Source, Workspaces
from bot.ids import WorkId
from tests.executors.workspace.repositories import Remote, commit, git

WORK = WorkId("wrk-look")
BRANCH = "trackside/7-look"


def proposed(remote: Remote, text: str, *, number: int = 7) -> str:
    """Push a commit as a fork's pull request: the tracker keeps it, and no branch of its own has it."""
    git(remote.people, "checkout", "--quiet", "--detach", "main")
    sha = commit(remote.people, {"cart.py": text}, "Proposed")
    git(remote.people, "push", "--quiet", "--force", str(remote.path), f"HEAD:refs/pull/{number}/head")
    return sha


def at(remote: Remote, sha: str) -> Source:
    return Source(id=remote.id, url=remote.path.as_uri(), base="main", head=Head(number=7, commit=sha))


# ag-D12
async def test_the_head_of_a_pull_request_of_a_fork_is_what_is_looked_at(
    remote: Remote, workspaces: Workspaces
) -> None:
    sha = proposed(remote, "total = 7\n")

    workspace = await workspaces.prepare(at(remote, sha), WORK, BRANCH)

    assert git(workspace.path, "rev-parse", "HEAD") == sha
    assert (workspace.path / "cart.py").read_text() == "total = 7\n"
    assert git(workspace.path, "rev-parse", "origin/main") == remote.tip("main")


# gh-A-01
async def test_what_was_pushed_after_the_approval_is_not_looked_at(remote: Remote, workspaces: Workspaces) -> None:
    sha = proposed(remote, "total = 7\n")
    git(remote.people, "checkout", "--quiet", sha)
    commit(remote.people, {"cart.py": "total = 8\n"}, "More")
    git(remote.people, "push", "--quiet", str(remote.path), "HEAD:refs/pull/7/head")

    workspace = await workspaces.prepare(at(remote, sha), WORK, BRANCH)

    assert git(workspace.path, "rev-parse", "HEAD") == sha


async def test_a_commit_that_was_pushed_away_is_never_replaced_by_another(
    remote: Remote, workspaces: Workspaces
) -> None:
    sha = proposed(remote, "total = 7\n")
    proposed(remote, "total = 9\n")

    with pytest.raises(WorkspaceError, match=f"does not have the commit {sha[:12]} any more") as raised:
        await workspaces.prepare(at(remote, sha), WORK, BRANCH)
    assert not raised.value.permanent


async def test_a_workspace_is_made_anew_for_another_commit(remote: Remote, workspaces: Workspaces) -> None:
    first = proposed(remote, "total = 7\n")
    await workspaces.prepare(at(remote, first), WORK, BRANCH)
    second = proposed(remote, "total = 9\n")

    await workspaces.remove(WORK)
    workspace = await workspaces.prepare(at(remote, second), WORK, BRANCH)

    assert git(workspace.path, "rev-parse", "HEAD") == second
    shutil.rmtree(remote.path)
    assert (await workspaces.prepare(at(remote, second), WORK, BRANCH)).path == workspace.path
