"""From what a run committed to the branch on the tracker. Never forced: work of others is never lost."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp

from bot.errors import PublishError
from bot.executors.workspace.git import GitError
from bot.executors.workspace.mirror import Mirror, remote_ref, work_ref
from bot.executors.workspace.workspaces import Workspace

_MOVED = ("non-fast-forward", "fetch first", "stale info")


async def publish_branch(workspace: Workspace, base: str) -> str | None:
    """
    Push what the Work committed, and return the commit that is the head of its branch on the tracker now.

    Returns None when there is nothing beyond the base. When the branch has moved meanwhile, the commits are put
    on top of it, once. Raises ``PublishError``: permanent when the run left no such branch, when its commits do
    not fit on the branch as it is now, or when the tracker refuses the push.
    """
    mirror = workspace.mirror
    async with mirror.locked():
        await _collect(workspace)
        await _updated(mirror)
        local = await _commit(mirror, work_ref(workspace.work))
        remote = await mirror.commit_of(remote_ref(workspace.branch))
        if not await _beyond(mirror, local, remote_ref(base)):
            return remote
        if remote is not None and remote != local and await _contains(mirror, remote, local):
            # Somebody went on from what we pushed before: there is nothing new of ours.
            return remote
        if remote != local and not await _push(workspace, local):
            await _updated(mirror)
            local = await _rebased(workspace, local)
            if not await _push(workspace, local):
                raise PublishError("the branch keeps moving while it is pushed to")
        await _verify(workspace, local)
        return local


async def _collect(workspace: Workspace) -> None:
    """Take the branch out of the workspace, from outside of it."""
    source = f"+refs/heads/{workspace.branch}:{work_ref(workspace.work)}"
    try:
        await workspace.mirror.run("fetch", "--quiet", "--no-tags", str(workspace.path / ".git"), source)
    except GitError as error:
        message = f"the run left no branch {workspace.branch!r} to publish: {error}"
        raise PublishError(message, permanent=True) from error


async def _updated(mirror: Mirror) -> None:
    try:
        await mirror.update()
    except GitError as error:
        raise PublishError(f"the repository cannot be reached: {error}") from error


async def _commit(mirror: Mirror, ref: str) -> str:
    commit = await mirror.commit_of(ref)
    if commit is None:
        raise PublishError(f"{ref} is missing from the mirror")
    return commit


async def _beyond(mirror: Mirror, commit: str, base: str) -> bool:
    return await mirror.run("rev-list", "--count", commit, f"^{base}", "--") != "0"


async def _contains(mirror: Mirror, commit: str, ancestor: str) -> bool:
    try:
        await mirror.run("merge-base", "--is-ancestor", ancestor, commit)
    except GitError:
        return False
    return True


async def _push(workspace: Workspace, commit: str) -> bool:
    """Push plainly. Returns False when the branch has moved. Raises ``PublishError`` for anything else."""
    mirror = workspace.mirror
    try:
        await mirror.run("push", "--quiet", mirror.url, f"{commit}:refs/heads/{workspace.branch}")
    except GitError as error:
        if any(word in error.output for word in _MOVED):
            return False
        refused = "remote rejected" in error.output
        raise PublishError(f"the push was refused: {error}", permanent=refused) from error
    return True


async def _rebased(workspace: Workspace, commit: str) -> str:
    """Put the commits on top of the branch as it is now, in a directory that no run has touched."""
    mirror = workspace.mirror
    place = Path(mkdtemp(prefix="rebase-", dir=mirror.path.parent))
    try:
        await mirror.run("worktree", "add", "--quiet", "--force", "--detach", str(place), commit)
        await mirror.git.run(place, "rebase", "--quiet", remote_ref(workspace.branch))
        return await mirror.git.run(place, "rev-parse", "HEAD")
    except GitError as error:
        message = f"the branch has moved, and these commits do not fit on top of it: {error}"
        raise PublishError(message, permanent=True) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
        await mirror.run("worktree", "prune")


async def _verify(workspace: Workspace, commit: str) -> None:
    mirror = workspace.mirror
    answer = await mirror.run("ls-remote", mirror.url, f"refs/heads/{workspace.branch}")
    if not answer.startswith(commit):
        raise PublishError("the branch on the tracker is not what was pushed")
