"""What a run committed arrives on the tracker, and nothing of others is lost on the way."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from bot.errors import PublishError
from bot.executors.workspace.workspaces import Workspace, Workspaces
from bot.ids import WorkId
from bot.publishing.branch import NothingToPublish, PublishedBranch, push_branch
from tests.executors.workspace.hostile import arm
from tests.executors.workspace.repositories import Remote, commit, git, write
from tests.publishing.conftest import BRANCH


async def pushed(workspace: Workspace) -> PublishedBranch:
    branch = await push_branch(workspace, "main")
    assert isinstance(branch, PublishedBranch)
    return branch


async def refused(workspace: Workspace, base: str = "main") -> PublishError:
    with pytest.raises(PublishError) as caught:
        await push_branch(workspace, base)
    return caught.value


def as_it_was(workspace: Workspace) -> tuple[str, str, list[str]]:
    """Return everything by which a run would notice that someone was here."""
    state = git(workspace.path, "status", "--porcelain=v2", "--branch")
    names = sorted(str(path.relative_to(workspace.path)) for path in workspace.path.rglob("*"))
    return git(workspace.path, "show-ref"), state, names


async def test_what_was_committed_is_pushed_and_the_workspace_stays_as_it_is(
    remote: Remote, workspace: Workspace
) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    before = as_it_was(workspace)

    branch = await pushed(workspace)

    assert branch == PublishedBranch(head_sha=made, changed=True, uncommitted=())
    assert remote.tip(BRANCH) == made
    assert as_it_was(workspace) == before


async def test_publishing_again_changes_nothing(remote: Remote, workspace: Workspace) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    await pushed(workspace)

    assert await pushed(workspace) == PublishedBranch(head_sha=made, changed=False, uncommitted=())
    assert remote.tip(BRANCH) == made


async def test_without_commits_there_is_nothing_to_publish(remote: Remote, workspace: Workspace) -> None:
    write(workspace.path, {"cart.py": "total = 9\n", "new.txt": "n\n"})

    branch = await push_branch(workspace, "main")

    assert branch == NothingToPublish(uncommitted=("cart.py", "new.txt"))
    assert remote.tip(BRANCH) is None


async def test_commits_that_are_in_the_base_already_are_nothing_to_publish(
    remote: Remote, workspace: Workspace
) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await pushed(workspace)
    git(remote.path, "update-ref", "refs/heads/main", f"refs/heads/{BRANCH}")

    assert isinstance(await push_branch(workspace, "main"), NothingToPublish)
    git(remote.path, "update-ref", "-d", f"refs/heads/{BRANCH}")
    assert isinstance(await push_branch(workspace, "main"), NothingToPublish)
    assert remote.tip(BRANCH) is None


async def test_a_branch_that_others_went_on_from_is_left_to_them(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await pushed(workspace)
    theirs = remote.push(BRANCH, {"b.txt": "b\n"})

    assert await pushed(workspace) == PublishedBranch(head_sha=theirs, changed=False, uncommitted=())


# ag-I13
async def test_commits_go_on_top_of_what_others_pushed(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await pushed(workspace)
    remote.push(BRANCH, {"b.txt": "b\n"}, "Theirs")
    commit(workspace.path, {"c.txt": "c\n"}, "Two")
    before = as_it_was(workspace)

    branch = await pushed(workspace)

    assert branch.head_sha == remote.tip(BRANCH)
    assert remote.log(BRANCH) == ["One", "Theirs", "Two"]
    assert as_it_was(workspace) == before
    # The workspace still has its own commits, which are there under other names now.
    assert remote.tip(BRANCH) != git(workspace.path, "rev-parse", "HEAD")
    await pushed(workspace)
    commit(workspace.path, {"d.txt": "d\n"}, "Three")
    await pushed(workspace)
    assert remote.log(BRANCH) == ["One", "Theirs", "Two", "Three"]


# ag-I13
async def test_a_push_that_is_raced_goes_on_top_of_the_winner(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    theirs = remote.push("elsewhere", {"b.txt": "b\n"}, "Theirs")
    # They are quicker by a moment: after the last look at the branch, before the push is received. Only once.
    script = f'test -e raced || {{ touch raced; git update-ref "refs/heads/{BRANCH}" {theirs}; }}'
    _on_negotiation(remote, workspace, script)

    branch = await pushed(workspace)

    assert branch.changed
    assert remote.log(BRANCH) == ["Theirs", "One"]


def _on_negotiation(remote: Remote, workspace: Workspace, script: str) -> None:
    """Run a script when the tracker begins to receive a push, before it tells where its branches are."""
    program = remote.path / "receive"
    program.write_text(f'#!/bin/sh\ncd "{remote.path}" && ( {script} )\nexec git-receive-pack "$@"\n')
    program.chmod(0o755)
    git(workspace.mirror.path, "config", f"remote.{remote.path.as_uri()}.receivepack", str(program))
    git(workspace.mirror.path, "config", f"remote.{remote.path.as_uri()}.url", remote.path.as_uri())


async def test_a_branch_that_keeps_moving_is_tried_again_later(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    tree = git(remote.path, "rev-parse", "main^{tree}")
    identity = "-c user.name=A -c user.email=a@example.test"
    parent = f'$(git rev-parse -q --verify "refs/heads/{BRANCH}" || git rev-parse main)'
    made = f'git {identity} commit-tree {tree} -p "{parent}" -m Theirs'
    _on_negotiation(remote, workspace, f'git update-ref "refs/heads/{BRANCH}" $({made})')

    error = await refused(workspace)

    assert not error.permanent
    assert "keeps moving" in str(error)
    assert remote.log(BRANCH) == ["Theirs", "Theirs"]


# ag-I13
async def test_a_conflict_is_permanent_and_leaves_everything_as_it_was(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"cart.py": "total = 1\n"}, "One")
    theirs = remote.push(BRANCH, {"cart.py": "total = 2\n"}, "Theirs")
    before = as_it_was(workspace)

    error = await refused(workspace)

    assert error.permanent
    assert "does not fit" in str(error)
    assert remote.tip(BRANCH) == theirs
    assert as_it_was(workspace) == before
    assert git(workspace.mirror.path, "worktree", "list", "--porcelain").count("worktree ") == 1


async def test_a_run_that_wrote_its_own_commits_anew_is_published_without_force(
    remote: Remote, workspace: Workspace
) -> None:
    first = commit(workspace.path, {"a.txt": "first\n"}, "One")
    await pushed(workspace)
    second = commit(workspace.path, {"a.txt": "second\n"}, "One, better", "--amend")

    branch = await pushed(workspace)

    assert remote.show(BRANCH, "a.txt") == "second"
    assert branch.head_sha == remote.tip(BRANCH)
    assert set(git(remote.path, "log", "--format=%H", BRANCH).splitlines()) > {first, second}
    # And again, on top of that.
    commit(workspace.path, {"a.txt": "third\n"}, "One, best", "--amend")
    await pushed(workspace)
    assert remote.show(BRANCH, "a.txt") == "third"


# ag-I13
async def test_writing_commits_anew_does_not_drop_what_others_pushed(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "first\n"}, "One")
    await pushed(workspace)
    remote.push(BRANCH, {"b.txt": "theirs\n"}, "Theirs")
    commit(workspace.path, {"c.txt": "c\n"}, "Two")
    await pushed(workspace)
    # What is on the tracker was pushed by us, but has work of others in it that the workspace has not.
    commit(workspace.path, {"c.txt": "c\n", "d.txt": "d\n"}, "Two, better", "--amend")

    await pushed(workspace)

    assert remote.show(BRANCH, "b.txt") == "theirs"
    assert remote.show(BRANCH, "d.txt") == "d"
    assert remote.log(BRANCH) == ["One", "Theirs", "Two", "Two, better"]


async def test_commits_of_the_base_are_not_copied(remote: Remote, workspaces: Workspaces, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await pushed(workspace)
    remote.push(BRANCH, {"b.txt": "b\n"}, "Theirs")
    on_main = remote.push("main", {"m.txt": "m\n"}, "On main")
    # The mirror learns of it by another Work, and the run merges what it can see there.
    await workspaces.prepare(remote.source, WorkId("wrk-two"), "trackside/43")
    git(workspace.path, "merge", "--quiet", "--no-edit", on_main)
    commit(workspace.path, {"c.txt": "c\n"}, "Two")

    await pushed(workspace)

    assert git(remote.path, "log", "--format=%s", BRANCH).splitlines().count("On main") == 1
    assert git(remote.path, "merge-base", "main", BRANCH) == on_main
    files = git(remote.path, "ls-tree", "--name-only", BRANCH).split()
    assert files == ["README.md", "a.txt", "b.txt", "c.txt", "cart.py", "m.txt"]


@pytest.mark.parametrize("hook", ["pre-receive", "update"])
async def test_a_push_that_the_tracker_forbids_is_permanent_and_tells_why(
    remote: Remote, workspace: Workspace, hook: str
) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    remote.hook(hook, "echo 'GH006: Protected branch update failed.' >&2; exit 1")

    error = await refused(workspace)

    assert error.permanent
    assert "GH006: Protected branch update failed." in str(error)
    assert remote.tip(BRANCH) is None


async def test_a_tracker_that_cannot_be_reached_is_tried_again_later(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    remote.path.rename(remote.path.with_name("away.git"))

    assert not (await refused(workspace)).permanent


async def test_a_push_whose_answer_was_lost_is_found_done(remote: Remote, workspace: Workspace) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    # It is received, and then the connection ends.
    remote.hook("post-receive", "kill -9 $PPID")
    assert not (await refused(workspace)).permanent
    assert remote.tip(BRANCH) == made
    (remote.path / "hooks" / "post-receive").unlink()

    assert await pushed(workspace) == PublishedBranch(head_sha=made, changed=False, uncommitted=())


# ag-I12
async def test_a_push_that_did_not_arrive_is_noticed(remote: Remote, workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    remote.hook("post-receive", f"git update-ref -d refs/heads/{BRANCH}")

    error = await refused(workspace)

    assert not error.permanent
    assert "not what was pushed" in str(error)


async def test_a_run_that_left_its_commits_elsewhere_is_told(remote: Remote, workspace: Workspace) -> None:
    git(workspace.path, "checkout", "--quiet", "-b", "mine")
    commit(workspace.path, {"a.txt": "a\n"}, "One")

    error = await refused(workspace)

    assert error.permanent
    assert "the branch mine is checked out" in str(error)
    assert set(remote.branches) == {"main"}


async def test_a_workspace_that_is_gone_is_permanent(workspace: Workspace) -> None:
    shutil.rmtree(workspace.path)

    assert (await refused(workspace)).permanent


async def test_a_mirror_that_was_lost_is_made_again(remote: Remote, workspace: Workspace) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    shutil.rmtree(workspace.mirror.path)

    assert (await pushed(workspace)).head_sha == made
    assert remote.tip(BRANCH) == made


async def test_nothing_is_ever_pushed_to_the_base(remote: Remote, workspaces: Workspaces) -> None:
    before = remote.tip("main")
    workspace = await workspaces.prepare(remote.source, WorkId("wrk-main"), "main")
    commit(workspace.path, {"a.txt": "a\n"}, "One")

    assert (await refused(workspace)).permanent
    assert remote.tip("main") == before


async def test_a_missing_base_is_told(workspace: Workspace) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")

    assert "no branch trunk" in str(await refused(workspace, "trunk"))
    assert "not the name of a branch" in str(await refused(workspace, "--all"))


async def test_nothing_of_a_hostile_run_is_executed(remote: Remote, workspace: Workspace, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    write(workspace.path, {".gitattributes": "* filter=trap merge=trap diff=trap\n"})
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    remote.push(BRANCH, {"b.txt": "b\n"}, "Theirs")
    arm(workspace.path, canary)

    await pushed(workspace)

    assert remote.log(BRANCH) == ["Theirs", "One"]
    assert not canary.exists()


async def test_works_of_one_repository_are_published_at_once(remote: Remote, workspaces: Workspaces) -> None:
    made = [
        await workspaces.prepare(remote.source, WorkId(f"wrk-{number}"), f"trackside/{number}") for number in range(3)
    ]
    for workspace in made:
        commit(workspace.path, {"own.txt": workspace.work}, "Own")

    await asyncio.gather(*(pushed(workspace) for workspace in made))

    assert [remote.show(workspace.branch, "own.txt") for workspace in made] == ["wrk-0", "wrk-1", "wrk-2"]
