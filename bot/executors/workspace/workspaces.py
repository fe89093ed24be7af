"""Workspaces: one directory for each Work, made once and kept while the Work lives."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from bot.domain.branch import is_branch_name
from bot.errors import WorkspaceError
from bot.executors.workspace.discard import discard
from bot.executors.workspace.git import Git, GitError
from bot.executors.workspace.mirror import HeldMirror, Mirror, pull_request_ref, remote_ref, work_ref
from bot.ids import WorkId


@dataclass(frozen=True, kw_only=True)
class Head:
    """The commit of a pull request that is looked at, wherever its branch is; nothing of it is ever published."""

    number: int
    commit: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """
    The repository to work on, and the branch to start from when the Work's own does not exist yet.

    With a ``head``, the work is about a pull request: it starts from that commit and no other.
    """

    id: int
    url: str
    base: str
    head: Head | None = None


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """A Work's directory, on its branch."""

    path: Path
    branch: str
    mirror: Mirror
    work: WorkId


@dataclass(frozen=True, kw_only=True)
class Workspaces:
    """Makes and removes workspaces under ``root``."""

    root: Path
    git: Git

    def mirror(self, source: Source) -> Mirror:
        """Return the mirror of a repository, whether or not it exists yet."""
        return Mirror(path=self.root / "mirrors" / f"{source.id}.git", url=source.url, git=self.git)

    def workspace(self, source: Source, work: WorkId, branch: str) -> Workspace:
        """Return a Work's workspace, whether or not it exists yet."""
        return Workspace(path=self._path(work), branch=branch, mirror=self.mirror(source), work=work)

    async def prepare(self, source: Source, work: WorkId, branch: str) -> Workspace:
        """
        Return a Work's workspace, making it when it is missing.

        One that exists is left exactly as it is: a run may be at work in it, or have left something to go on
        with. A new one starts from the source's head, where it has one; else from the Work's branch on the tracker,
        else from what the Work has committed before, else from the base. One that has lost its repository is set
        aside and made anew. Raises ``WorkspaceError``; nothing half-made is ever used.
        """
        workspace = self.workspace(source, work, branch)
        if _is_whole(workspace.path):
            return workspace
        for name in (branch, source.base):
            if not is_branch_name(name):
                raise WorkspaceError(f"{name!r} is not the name of a branch", code="workspace", permanent=True)
        try:
            async with workspace.mirror.held() as mirror:
                # Someone else may have made it while we waited.
                if not _is_whole(workspace.path):
                    await mirror.update()
                    if source.head is not None:
                        await mirror.fetch_pull_request(source.head.number)
                    await self._make(workspace, mirror, source)
        except (GitError, OSError) as error:
            raise WorkspaceError(f"the workspace cannot be made: {error}", code="workspace") from error
        return workspace

    async def remove(self, work: WorkId) -> None:
        """
        Remove a Work's workspace, if it is there. What was taken from it into the mirror stays there.

        Raises ``WorkspaceError`` when something of it cannot be removed.
        """
        try:
            for path in (self._path(work), self._fresh(work), self._damaged(work)):
                await asyncio.to_thread(discard, path)
        except OSError as error:
            raise WorkspaceError(f"the workspace cannot be removed: {error}", code="workspace") from error

    def _path(self, work: WorkId) -> Path:
        return self.root / "works" / work

    def _fresh(self, work: WorkId) -> Path:
        return self.root / "works" / f".{work}.new"

    def _damaged(self, work: WorkId) -> Path:
        return self.root / "works" / f".{work}.damaged"

    async def _make(self, workspace: Workspace, mirror: HeldMirror, source: Source) -> None:
        """Make it aside and rename it, so that a crash leaves either all of it or none."""
        commit, base = await _start(workspace, mirror, source)
        fresh, damaged = self._fresh(workspace.work), self._damaged(workspace.work)
        await asyncio.to_thread(discard, fresh)
        fresh.mkdir(parents=True)
        await mirror.run_in(fresh, "init", "--quiet", "--template=")
        _borrow(fresh / ".git" / "objects", mirror.mirror.path / "objects")
        await mirror.run_in(fresh, "checkout", "--quiet", "-B", workspace.branch, commit, "--")
        if base is not None:
            # So that the run can tell what its branch changes.
            await mirror.run_in(fresh, "update-ref", remote_ref(source.base), base)
        if workspace.path.exists() or workspace.path.is_symlink():
            await asyncio.to_thread(discard, damaged)
            workspace.path.rename(damaged)
        fresh.rename(workspace.path)


def _borrow(objects: Path, others: Path) -> None:
    # Relative, so that all of it may be moved together.
    (objects / "info" / "alternates").write_text(f"{os.path.relpath(others, objects)}\n", encoding="utf-8")


async def _start(workspace: Workspace, mirror: HeldMirror, source: Source) -> tuple[str, str | None]:
    """Return the commit to start from, and where the base is."""
    if source.head is not None:
        return await _looked_at(mirror, source.head), await mirror.commit_of(remote_ref(source.base))
    refs = (remote_ref(workspace.branch), work_ref(workspace.work), remote_ref(source.base))
    own, before, base = [await mirror.commit_of(ref) for ref in refs]
    start = own or before or base
    if start is None:
        raise WorkspaceError(f"the repository has no branch {source.base!r} to start from", code="workspace")
    return start, base


async def _looked_at(mirror: HeldMirror, head: Head) -> str:
    """Return the commit to look at, which the tracker must still have as the head of the pull request, or before it."""
    there = await mirror.commit_of(pull_request_ref(head.number))
    try:
        known = there == head.commit or (there is not None and await mirror.contains(there, head.commit))
    except GitError:
        # A commit that a force-push took away was not fetched.
        known = False
    if not known:
        raise WorkspaceError(
            f"pull request #{head.number} does not have the commit {head.commit[:12]} any more", code="workspace"
        )
    return head.commit


def _is_whole(path: Path) -> bool:
    """Return whether a directory has a repository of its own. Nothing else is looked at: a run may be using it."""
    repository = path / ".git"
    return repository.is_dir() and not repository.is_symlink() and not path.is_symlink()
