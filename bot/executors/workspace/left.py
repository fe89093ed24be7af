"""
What a run left in its workspace, taken out of it without trusting any of it.

Refs are read as plain files; objects are copied into a repository of our own, from which the mirror fetches them:
so git computes every name anew, checks each object, and finds out whether any is missing. The workspace's own
configuration, hooks, index and list of borrowed objects are never read.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bot.errors import WorkspaceError
from bot.executors.workspace.git import GitError
from bot.executors.workspace.mirror import HeldMirror, work_ref
from bot.executors.workspace.objects import copy_objects
from bot.executors.workspace.refs import Heads, read_heads
from bot.executors.workspace.workspaces import Workspace

_BRANCH = "left"
_HEAD = f"refs/heads/{_BRANCH}"


@dataclass(frozen=True, kw_only=True)
class Left:
    """What a run left: the commit of the Work's branch, and the paths that it changed without committing them."""

    commit: str
    uncommitted: tuple[str, ...]


async def take(workspace: Workspace, mirror: HeldMirror) -> Left:
    """
    Take what a run left into the mirror.

    Raises ``WorkspaceError``, which is permanent, when the run left no usable repository, no branch of the Work,
    or commits outside of that branch checked out. Raises ``GitError``.
    """
    own = mirror.mirror.scratch / "left"
    await mirror.run_in(
        mirror.mirror.scratch, "init", "--quiet", "--bare", "--template=", f"--initial-branch={_BRANCH}", str(own)
    )
    try:
        heads = await asyncio.to_thread(_copy, workspace, own, mirror.mirror.path)
    except OSError as error:
        raise _unusable(f"the run left no repository that can be read: {error.strerror or error}") from error
    if heads.branch is None:
        raise _unusable(f"the run left no branch {workspace.branch}; {_whereabouts(heads)}")
    try:
        await mirror.run(
            *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--"),
            *(str(own), f"+{_HEAD}:{work_ref(workspace.work)}"),
            settings={"fetch.fsckObjects": "true"},
        )
    except GitError as error:
        if error.status is None:
            raise
        raise _unusable(f"what the run committed is damaged: {error}") from error
    await _check_whereabouts(workspace, mirror, own, heads)
    return Left(commit=heads.branch, uncommitted=await _uncommitted(workspace, mirror, own))


def _copy(workspace: Workspace, own: Path, mirror: Path) -> Heads:
    heads = read_heads(workspace.path, workspace.branch)
    copy_objects(workspace.path, own / "objects")
    (own / "objects" / "info").mkdir(exist_ok=True)
    (own / "objects" / "info" / "alternates").write_text(f"{mirror.absolute() / 'objects'}\n", encoding="utf-8")
    if heads.branch is not None:
        (own / _HEAD).parent.mkdir(parents=True, exist_ok=True)
        (own / _HEAD).write_text(f"{heads.branch}\n", encoding="ascii")
    return heads


async def _check_whereabouts(workspace: Workspace, mirror: HeldMirror, own: Path, heads: Heads) -> None:
    """Refuse commits that the run has checked out but that are neither on its branch nor known already."""
    if heads.commit is None or heads.commit == heads.branch:
        return
    borrowed = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(own / "objects")}
    try:
        beyond = await mirror.run("rev-list", "--count", heads.commit, "--not", "--all", "--", environment=borrowed)
    except GitError as error:
        if error.status is None:
            raise
        raise _unusable(f"what the run has checked out is damaged: {error}") from error
    if beyond != "0":
        raise _unusable(f"the run left commits outside of its branch {workspace.branch}; {_whereabouts(heads)}")


async def _uncommitted(workspace: Workspace, mirror: HeldMirror, own: Path) -> tuple[str, ...]:
    # Submodules are left out: git would look into each with that one's own configuration.
    where = {"GIT_DIR": str(own), "GIT_WORK_TREE": str(workspace.path), "GIT_INDEX_FILE": str(own / "index")}
    await mirror.run_in(workspace.path, "read-tree", _HEAD, environment=where)
    arguments = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
    answer = await mirror.run_in(workspace.path, *arguments, environment=where)
    entries = (entry.lstrip().partition(" ")[2] for entry in answer.split("\0") if entry)
    return tuple(sorted(set(entries)))


def _whereabouts(heads: Heads) -> str:
    if heads.current is not None:
        return f"the branch {heads.current[:200]} is checked out"
    return "no branch is checked out" if heads.commit is None else f"no branch is checked out, but {heads.commit[:12]}"


def _unusable(message: str) -> WorkspaceError:
    return WorkspaceError(message, code="workspace", permanent=True)
