"""A workspace is there whole or not at all, whatever happened before."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import WorkspaceError
from bot.executors.workspace.git import Git
from bot.executors.workspace.mirror import work_ref
from bot.executors.workspace.workspaces import Source, Workspaces
from bot.ids import WorkId
from tests.executors.workspace.repositories import Remote, commit, git

WORK = WorkId("wrk-one")
BRANCH = "trackside/42-fix-login"


def head(path: Path) -> tuple[str, str]:
    return git(path, "symbolic-ref", "--short", "HEAD"), git(path, "rev-parse", "HEAD")


async def test_a_new_workspace_starts_from_the_base(remote: Remote, workspaces: Workspaces) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(workspace.path) == (BRANCH, remote.tip("main"))
    assert (workspace.path / "cart.py").read_text() == "total = 0\n"
    assert git(workspace.path, "status", "--porcelain") == ""
    assert git(workspace.path, "rev-parse", "origin/main") == remote.tip("main")


async def test_a_new_workspace_goes_on_with_the_branch_that_is_there(remote: Remote, workspaces: Workspaces) -> None:
    tip = remote.push(BRANCH, {"cart.py": "total = 1\n"})

    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(workspace.path) == (BRANCH, tip)


async def test_a_workspace_that_exists_is_left_as_it_is(remote: Remote, workspaces: Workspaces) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)
    (workspace.path / "cart.py").write_text("half a thought\n")
    remote.push("main", {"cart.py": "total = 2\n"})
    # Not even the tracker is asked.
    shutil.rmtree(remote.path)

    again = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert again.path == workspace.path
    assert (again.path / "cart.py").read_text() == "half a thought\n"


async def test_each_work_has_a_workspace_of_its_own(remote: Remote, workspaces: Workspaces) -> None:
    works = [WorkId(f"wrk-{number}") for number in range(4)]

    made = await asyncio.gather(*(workspaces.prepare(remote.source, work, f"b/{work}") for work in works))

    assert len({workspace.path for workspace in made}) == 4
    for workspace in made:
        commit(workspace.path, {"own.txt": workspace.work}, "Own")
        assert git(workspace.path, "log", "--format=%s") == "Own\nFirst"


async def test_a_work_that_is_prepared_twice_at_once_has_one_workspace(remote: Remote, workspaces: Workspaces) -> None:
    made = await asyncio.gather(*(workspaces.prepare(remote.source, WORK, BRANCH) for _ in range(3)))

    assert len({workspace.path for workspace in made}) == 1
    assert sorted(path.name for path in (workspaces.root / "works").iterdir()) == [WORK]


async def test_a_run_finds_no_address_and_no_token(remote: Remote, tmp_path: Path) -> None:
    token = secrets.token_hex(20)

    async def always(_remote: str) -> str:
        return token

    workspaces = Workspaces(root=tmp_path / "workspaces", git=Git(token=always))

    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert git(workspace.path, "remote") == ""
    files = [path for path in workspaces.root.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if token.encode() in path.read_bytes()]


# What is left when a host was killed while it made a workspace, at one moment or another.
@pytest.mark.parametrize(
    "leave",
    [
        ["mirrors/11.git.lock"],
        ["mirrors/11.scratch/mirror/HEAD"],
        ["works/.wrk-one.new/.git/HEAD"],
        ["works/.wrk-one.new/.git/index.lock", "works/.wrk-one.new/cart.py"],
        ["works/.wrk-one.damaged/kept"],
    ],
)
async def test_what_a_killed_host_left_is_no_hindrance(
    remote: Remote, workspaces: Workspaces, leave: list[str]
) -> None:
    for name in leave:
        path = workspaces.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(workspace.path) == (BRANCH, remote.tip("main"))
    assert git(workspace.path, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "name", ["packed-refs.lock", "HEAD.lock", "refs/remotes/origin/main.lock", "objects/pack/tmp_pack_a1b2c3"]
)
async def test_what_a_killed_git_left_in_the_mirror_is_no_hindrance(
    remote: Remote, workspaces: Workspaces, name: str
) -> None:
    await workspaces.prepare(remote.source, WORK, BRANCH)
    left = workspaces.mirror(remote.source).path / name
    left.touch()
    tip = remote.push("main", {"cart.py": "total = 2\n"})
    remote.push("gone", {})
    git(remote.path, "update-ref", "-d", "refs/heads/gone")

    second = await workspaces.prepare(remote.source, WorkId("wrk-two"), "trackside/43")

    assert head(second.path) == ("trackside/43", tip)
    assert not left.exists()


@pytest.mark.parametrize("tamper", ["missing", "file", "symlink"])
async def test_a_workspace_that_lost_its_repository_is_set_aside_and_made_anew(
    remote: Remote, workspaces: Workspaces, tmp_path: Path, tamper: str
) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)
    (workspace.path / "notes.txt").write_text("not committed\n")
    shutil.move(workspace.path / ".git", tmp_path / "elsewhere")
    if tamper == "file":
        (workspace.path / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere'}\n")
    elif tamper == "symlink":
        (workspace.path / ".git").symlink_to(tmp_path / "elsewhere")

    again = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(again.path) == (BRANCH, remote.tip("main"))
    assert (again.path / ".git").is_dir()
    assert not (again.path / ".git").is_symlink()
    assert not (again.path / "notes.txt").exists()
    assert (workspaces.root / "works" / f".{WORK}.damaged" / "notes.txt").read_text() == "not committed\n"


async def test_a_workspace_made_anew_goes_on_with_what_was_taken_from_it(
    remote: Remote, workspaces: Workspaces
) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)
    made = commit(workspace.path, {"cart.py": "total = 3\n"})
    mirror = workspaces.mirror(remote.source).path
    git(mirror, "fetch", "--quiet", str(workspace.path), f"HEAD:{work_ref(WORK)}")

    await workspaces.remove(WORK)
    again = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(again.path) == (BRANCH, made)


async def test_a_repository_that_cannot_be_reached_leaves_nothing_half_made(
    remote: Remote, workspaces: Workspaces
) -> None:
    away = remote.path.rename(remote.path.with_name("away.git"))

    with pytest.raises(WorkspaceError) as caught:
        await workspaces.prepare(remote.source, WORK, BRANCH)
    assert not caught.value.permanent
    assert not (workspaces.root / "works" / WORK).exists()

    away.rename(remote.path)
    assert head((await workspaces.prepare(remote.source, WORK, BRANCH)).path)[0] == BRANCH


async def test_a_missing_base_is_told(remote: Remote, workspaces: Workspaces) -> None:
    source = Source(id=11, url=remote.source.url, base="trunk")

    with pytest.raises(WorkspaceError, match="no branch 'trunk'"):
        await workspaces.prepare(source, WORK, BRANCH)


# C-116
@pytest.mark.parametrize("branch", ["--upload-pack=touch canary", "a..b", "a:refs/heads/main", ""])
async def test_a_name_that_is_no_branch_is_refused(remote: Remote, workspaces: Workspaces, branch: str) -> None:
    with pytest.raises(WorkspaceError, match="not the name of a branch") as caught:
        await workspaces.prepare(remote.source, WORK, branch)

    assert caught.value.permanent
    assert not workspaces.root.exists()


async def test_an_address_that_is_an_option_is_not_one(remote: Remote, workspaces: Workspaces, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    source = Source(id=11, url=f"--upload-pack=touch {canary}", base="main")

    with pytest.raises(WorkspaceError):
        await workspaces.prepare(source, WORK, BRANCH)

    assert not canary.exists()
    assert remote.tip("main")


async def test_a_branch_that_was_removed_from_the_tracker_is_not_gone_on_with(
    remote: Remote, workspaces: Workspaces
) -> None:
    remote.push(BRANCH, {"cart.py": "total = 1\n"})
    await workspaces.prepare(remote.source, WorkId("wrk-first"), BRANCH)
    git(remote.path, "update-ref", "-d", f"refs/heads/{BRANCH}")

    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)

    assert head(workspace.path) == (BRANCH, remote.tip("main"))


async def test_all_of_it_may_be_moved_together(remote: Remote, workspaces: Workspaces, tmp_path: Path) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)
    moved = workspaces.root.rename(tmp_path / "moved")

    assert git(moved / "works" / workspace.work, "status", "--porcelain") == ""


async def test_removing_takes_everything_also_what_was_made_read_only(
    remote: Remote, workspaces: Workspaces, tmp_path: Path
) -> None:
    workspace = await workspaces.prepare(remote.source, WORK, BRANCH)
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    locked = workspace.path / "cache" / "module"
    locked.mkdir(parents=True)
    (locked / "file").touch()
    (locked / "link").symlink_to(kept)
    for path in (locked, locked.parent):
        path.chmod(stat.S_IRUSR | stat.S_IXUSR)

    await workspaces.remove(WORK)
    await workspaces.remove(WORK)

    assert list((workspaces.root / "works").iterdir()) == []
    assert (kept / "file").exists()


async def test_a_mirror_is_held_by_one_process_at_a_time(remote: Remote, workspaces: Workspaces) -> None:
    mirror = workspaces.mirror(remote.source)
    async with mirror.held():
        code = "import fcntl, sys; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
        command = [sys.executable, "-c", code, f"{mirror.path}.lock"]
        other = await asyncio.to_thread(subprocess.run, command, capture_output=True, check=False)
        waiting = asyncio.create_task(workspaces.prepare(remote.source, WORK, BRANCH))
        done, _ = await asyncio.wait([waiting], timeout=0.2)

    assert b"BlockingIOError" in other.stderr
    assert not done
    assert (await waiting).path.exists()


async def test_a_mirror_stays_held_while_a_git_of_a_killed_holder_is_at_work(
    remote: Remote, workspaces: Workspaces, tmp_path: Path
) -> None:
    mirror = workspaces.mirror(remote.source)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with mirror.held() as held:
        command = ("-c", f"alias.wait=!exec sleep 600 > '{pipe}'", "wait")
        task = asyncio.create_task(held.run_in(tmp_path, *command))
        reading = await asyncio.to_thread(pipe.open, "rb")
    # The holder is gone as if it had been killed: its own descriptor is closed, and nothing was told to git.
    with reading:
        assert not can_be_held(mirror.path)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(reading.read)
    assert can_be_held(mirror.path)


def can_be_held(mirror: Path) -> bool:
    with Path(f"{mirror}.lock").open(encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


async def test_waiting_for_a_mirror_can_be_cancelled(remote: Remote, workspaces: Workspaces) -> None:
    async with workspaces.mirror(remote.source).held():
        waiting = asyncio.create_task(workspaces.prepare(remote.source, WORK, BRANCH))
        await asyncio.wait([waiting], timeout=0.1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    assert waiting.cancelled()
