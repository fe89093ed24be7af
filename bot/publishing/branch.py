"""From what a run committed to the branch on the tracker. Never forced: work of others is never lost."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.branch import is_branch_name
from bot.errors import PublishError, WorkspaceError
from bot.executors.workspace.git import GitError
from bot.executors.workspace.left import Left, take
from bot.executors.workspace.mirror import HeldMirror, published_ref, remote_ref
from bot.executors.workspace.workspaces import Workspace
from bot.publishing.join import put_on_top, replace
from bot.publishing.push import push, verify

_TRIES = 2
"""How often it is pushed: once more when someone else was quicker."""


@dataclass(frozen=True, kw_only=True)
class PublishedBranch:
    """
    The branch as it is on the tracker now.

    ``changed`` is whether anything was pushed. ``uncommitted`` are the paths that the run changed without
    committing them: they are not published.
    """

    head_sha: str
    changed: bool
    uncommitted: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class NothingToPublish:
    """The branch has no commit beyond the base."""

    uncommitted: tuple[str, ...]


async def push_branch(workspace: Workspace, base: str) -> PublishedBranch | NothingToPublish:
    """
    Push what the Work committed beyond ``base``, and look whether it has arrived.

    When the branch was moved by others, the commits are put on top of it. Raises ``PublishError``: permanent when
    the run left no such branch, when its commits do not fit on the branch as it is now, or when the tracker
    forbids the push.
    """
    for name in (workspace.branch, base):
        if not is_branch_name(name):
            raise PublishError(f"{name!r} is not the name of a branch", permanent=True)
    if workspace.branch == base:
        raise PublishError(f"{base} is where pull requests go; nothing is pushed there", permanent=True)
    try:
        async with workspace.mirror.held() as mirror:
            return await _publish(workspace, mirror, base)
    except WorkspaceError as error:
        raise PublishError(str(error), permanent=error.permanent) from error
    except (GitError, OSError) as error:
        raise PublishError(f"the branch could not be published: {error}") from error


async def _publish(workspace: Workspace, mirror: HeldMirror, base: str) -> PublishedBranch | NothingToPublish:
    left: Left | None = None
    for _ in range(_TRIES):
        await mirror.update()
        left = left or await take(workspace, mirror)
        remote, target = [await mirror.commit_of(remote_ref(name)) for name in (workspace.branch, base)]
        if target is None:
            raise PublishError(f"the repository has no branch {base}", permanent=True)
        if remote is not None and await mirror.contains(remote, left.commit):
            # It is there already, perhaps with more on top of it.
            return await _seen(mirror, remote, target, left.uncommitted)
        if await mirror.count(left.commit, f"^{target}") == 0:
            return NothingToPublish(uncommitted=left.uncommitted)
        commit = await _fitted(workspace, mirror, left.commit, remote=remote, base=target)
        if commit == remote:
            # Others had made the very same changes.
            return await _seen(mirror, remote, target, left.uncommitted)
        if await push(mirror, commit, workspace.branch):
            await verify(mirror, commit, workspace.branch)
            return PublishedBranch(head_sha=commit, changed=True, uncommitted=left.uncommitted)
    raise PublishError("the branch keeps moving while it is pushed to")


async def _seen(
    mirror: HeldMirror, head: str, base: str, uncommitted: tuple[str, ...]
) -> PublishedBranch | NothingToPublish:
    if await mirror.count(head, f"^{base}") == 0:
        return NothingToPublish(uncommitted=uncommitted)
    return PublishedBranch(head_sha=head, changed=False, uncommitted=uncommitted)


async def _fitted(workspace: Workspace, mirror: HeldMirror, commit: str, *, remote: str | None, base: str) -> str:
    """Return the commit to push, which follows what is there, and note whether anything of others is in it."""
    published = published_ref(workspace.work)
    if remote is None or await mirror.contains(commit, remote):
        fitted, ours = commit, True
    elif remote == await mirror.commit_of(published):
        fitted, ours = await replace(mirror, commit, remote), True
    else:
        fitted, ours = await put_on_top(mirror, commit, remote, base), False
    # Noted before the push: whatever is on the tracker then, only this commit is taken for our own.
    await mirror.run("update-ref", *((published, fitted) if ours else ("-d", published)))
    return fitted
