"""What a run left is taken as it is, and nothing that it left is ever executed or believed."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import WorkspaceError
from bot.executors.workspace.left import Left, take
from bot.executors.workspace.mirror import work_ref
from bot.executors.workspace.workspaces import Workspace, Workspaces
from bot.ids import WorkId
from tests.executors.workspace.hostile import arm
from tests.executors.workspace.repositories import Remote, commit, git, write

WORK = WorkId("wrk-one")
BRANCH = "trackside/42-fix-login"


@pytest.fixture
async def workspace(remote: Remote, workspaces: Workspaces) -> Workspace:
    return await workspaces.prepare(remote.source, WORK, BRANCH)


async def taken(workspace: Workspace) -> Left:
    async with workspace.mirror.held() as mirror:
        return await take(workspace, mirror)


async def unusable(workspace: Workspace) -> str:
    with pytest.raises(WorkspaceError) as caught:
        await taken(workspace)
    assert caught.value.permanent
    return str(caught.value)


def in_mirror(workspace: Workspace) -> list[str]:
    return git(workspace.mirror.path, "log", "--format=%s", work_ref(WORK)).splitlines()


async def test_what_was_committed_comes_into_the_mirror(workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    made = commit(workspace.path, {"b.txt": "b\n"}, "Two")

    left = await taken(workspace)

    assert left == Left(commit=made, uncommitted=())
    assert in_mirror(workspace) == ["Two", "One", "First"]
    assert list(workspace.mirror.scratch.iterdir()) != []
    async with workspace.mirror.held():
        assert list(workspace.mirror.scratch.iterdir()) == []


async def test_what_a_run_has_packed_comes_too(workspace: Workspace) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    git(workspace.path, "gc", "--quiet", "--prune=now")
    assert not (workspace.path / ".git" / "refs" / "heads" / BRANCH).exists()

    assert (await taken(workspace)).commit == made


async def test_what_was_not_committed_is_told_and_stays(workspace: Workspace) -> None:
    write(workspace.path, {".gitignore": "*.log\n", "new file.txt": "n\n", "out.log": "l\n", "dir/a": "a\n"})
    commit(workspace.path, {}, "Ignore logs")
    write(workspace.path, {"cart.py": "total = 9\n", "README.md": None, "more.txt": "m\n", " odd": "o\n"})
    git(workspace.path, "add", "cart.py")
    before = git(workspace.path, "status", "--porcelain")

    left = await taken(workspace)

    assert sorted(path.strip() for path in left.uncommitted) == ["README.md", "cart.py", "more.txt", "odd"]
    assert git(workspace.path, "status", "--porcelain") == before


async def test_a_branch_that_is_gone_is_told(workspace: Workspace) -> None:
    git(workspace.path, "checkout", "--quiet", "-b", "mine")
    git(workspace.path, "branch", "--quiet", "-D", BRANCH)

    assert await unusable(workspace) == f"the run left no branch {BRANCH}; the branch mine is checked out"


async def test_commits_on_another_branch_are_told(workspace: Workspace) -> None:
    git(workspace.path, "checkout", "--quiet", "-b", "mine")
    commit(workspace.path, {"a.txt": "a\n"}, "One")

    said = await unusable(workspace)

    assert said == f"the run left commits outside of its branch {BRANCH}; the branch mine is checked out"


async def test_commits_on_no_branch_are_told(workspace: Workspace) -> None:
    git(workspace.path, "checkout", "--quiet", "--detach")
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")

    said = await unusable(workspace)

    assert said == f"the run left commits outside of its branch {BRANCH}; no branch is checked out, but {made[:12]}"


async def test_having_something_known_checked_out_is_fine(remote: Remote, workspace: Workspace) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    for commit_name in (f"{BRANCH}~1", "origin/main"):
        git(workspace.path, "checkout", "--quiet", "--detach", commit_name)
        assert (await taken(workspace)).commit == made
    git(workspace.path, "checkout", "--quiet", "-b", "mine", BRANCH)
    assert (await taken(workspace)).commit == made
    assert remote.tip("main")


# The traps are real: git as a run calls it springs them.
async def test_the_traps_of_a_hostile_run_work(workspace: Workspace, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    arm(workspace.path, canary)

    with pytest.raises(AssertionError):
        git(workspace.path, "--work-tree=.", "status", "--porcelain")

    assert canary.exists()


async def test_nothing_of_a_hostile_run_is_executed(workspace: Workspace, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    arm(workspace.path, canary)

    left = await taken(workspace)

    assert left.commit == made
    assert left.uncommitted == (".gitattributes", "nested/")
    assert not canary.exists()


async def test_nothing_of_a_hostile_submodule_is_executed(workspace: Workspace, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    arm(workspace.path, canary)
    nested = git(workspace.path / "nested", "-c", "core.fsmonitor=false", "rev-parse", "HEAD")
    plain = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.worktree=.")
    (workspace.path / ".gitattributes").unlink()
    bare = ("--git-dir=.git", "--work-tree=.", *plain, "-c", "commit.gpgSign=false")
    git(workspace.path, *bare, "update-index", "--add", "--cacheinfo", f"160000,{nested},nested")
    git(workspace.path, *bare, "commit", "--quiet", "-m", "A submodule")
    # Of the same size, so that git has to look into it.
    (workspace.path / "nested" / "file").write_text("NESTED\n")
    canary.unlink(missing_ok=True)

    left = await taken(workspace)

    assert git(workspace.mirror.path, "ls-tree", left.commit, "nested").split()[:2] == ["160000", "commit"]
    assert not canary.exists()


def _secret(tmp_path: Path) -> tuple[Path, str]:
    """Make another repository, with a commit that is nobody's business."""
    other = Remote.make(tmp_path / "other", {"secret.txt": "secret\n"}, number=12)
    tip = other.tip("main")
    assert tip is not None
    return other.path, tip


async def test_commits_of_another_repository_cannot_be_borrowed(workspace: Workspace, tmp_path: Path) -> None:
    other, secret = _secret(tmp_path)
    alternates = workspace.path / ".git" / "objects" / "info" / "alternates"
    with alternates.open("a", encoding="utf-8") as opened:
        opened.write(f"{other / 'objects'}\n")
    git(workspace.path, "reset", "--quiet", "--hard", secret)
    # The run itself can use it.
    assert git(workspace.path, "show", "HEAD:secret.txt") == "secret"

    assert "damaged" in await unusable(workspace)
    assert secret not in git(workspace.mirror.path, "for-each-ref")


Tamper = Callable[[Path, Path], object]


@pytest.mark.parametrize(
    "tamper",
    [
        lambda repository, other: _replaced(repository, other, by_file=False),
        lambda repository, other: _replaced(repository, other, by_file=True),
        lambda repository, _: shutil.rmtree(repository),
        lambda repository, other: _replaced(repository / "objects", other / "objects"),
        lambda repository, other: _replaced(repository / "objects" / "pack", other / "objects" / "pack"),
        lambda repository, other: _replaced(repository / "refs" / "heads", other / "refs" / "heads"),
        lambda repository, other: _replaced(repository / "refs" / "heads" / "trackside", other / "refs" / "heads"),
        lambda repository, other: _replaced(repository / "refs" / "heads" / BRANCH, other / "refs" / "heads" / "main"),
        lambda repository, other: _replaced(repository / "HEAD", other / "refs" / "heads" / "main"),
        lambda repository, _: _pipe(repository / "HEAD"),
        lambda repository, _: _pipe(repository / "packed-refs"),
        lambda repository, _: _pipe(repository / "refs" / "heads" / BRANCH),
        lambda repository, _: (repository / "refs" / "heads" / BRANCH).write_text("ref: refs/heads/main\n"),
        lambda repository, _: (repository / "refs" / "heads" / BRANCH).write_text("--all\n"),
        lambda repository, _: (repository / "refs" / "heads" / BRANCH).write_text("0" * 40),
    ],
)
async def test_a_repository_that_was_tampered_with_is_not_followed(
    workspace: Workspace, tmp_path: Path, tamper: Tamper
) -> None:
    other, secret = _secret(tmp_path)
    tamper(workspace.path / ".git", other)

    await unusable(workspace)

    assert secret not in git(workspace.mirror.path, "for-each-ref")


def _replaced(path: Path, target: Path, *, by_file: bool = False) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if by_file:
        path.write_text(f"gitdir: {target}\n")
    else:
        path.symlink_to(target)


def _pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


async def test_a_workspace_that_is_a_symlink_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    workspace.path.rename(tmp_path / "elsewhere")
    workspace.path.symlink_to(tmp_path / "elsewhere")

    await unusable(workspace)


async def test_an_object_under_a_wrong_name_is_found_out(workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "good\n"}, "One")
    blob = git(workspace.path, "rev-parse", "HEAD:a.txt")
    path = workspace.path / ".git" / "objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 4\0bad\n"))

    assert "damaged" in await unusable(workspace)


async def test_a_missing_object_is_found_out(workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "good\n"}, "One")
    tree = git(workspace.path, "rev-parse", "HEAD^{tree}")
    (workspace.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()

    assert "damaged" in await unusable(workspace)


async def test_a_tree_that_would_write_into_a_repository_is_refused(workspace: Workspace) -> None:
    # A checkout of it elsewhere could plant a hook there.
    blob = git(workspace.path, "rev-parse", "HEAD:cart.py")
    tree = _tree(workspace.path, f"100644 blob {blob}\tconfig")
    evil = _tree(workspace.path, f"040000 tree {tree}\t.git")
    made = git(workspace.path, "commit-tree", evil, "-p", "HEAD", "-m", "Evil")
    git(workspace.path, "update-ref", f"refs/heads/{BRANCH}", made)

    assert "damaged" in await unusable(workspace)


def _tree(directory: Path, entry: str) -> str:
    ended = subprocess.run(
        ["git", "mktree"], cwd=directory, input=entry.encode(), capture_output=True, check=True, env=os.environ
    )
    return ended.stdout.decode().strip()
