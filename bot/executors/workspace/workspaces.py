"""Workspaces: one directory for each Work, made once and kept while the Work lives."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

from bot.errors import WorkspaceError
from bot.executors.workspace.git import Git, GitError
from bot.executors.workspace.mirror import Mirror, remote_ref, work_ref
from bot.ids import WorkId, new_id


@dataclass(frozen=True, kw_only=True)
class Source:
    """The repository to work on, and the branch to start from when the Work's own does not exist yet."""

    id: int
    url: str
    base: str


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
        with. A new one starts from the Work's branch on the tracker, else from what the Work has committed
        before, else from the base. Raises ``WorkspaceError``; nothing half-made is ever used.
        """
        workspace = self.workspace(source, work, branch)
        if workspace.path.exists():
            return workspace
        try:
            async with workspace.mirror.locked():
                await workspace.mirror.update()
                await self._make(workspace, await self._start(workspace, source))
        except (GitError, OSError) as error:
            raise WorkspaceError(f"the workspace cannot be made: {error}", code="workspace") from error
        return workspace

    async def remove(self, work: WorkId) -> None:
        """Remove a Work's workspace, if it is there."""
        await asyncio.to_thread(shutil.rmtree, self._path(work), ignore_errors=True)

    def _path(self, work: WorkId) -> Path:
        return self.root / "works" / work

    async def _start(self, workspace: Workspace, source: Source) -> str:
        for ref in (remote_ref(workspace.branch), work_ref(workspace.work), remote_ref(source.base)):
            commit = await workspace.mirror.commit_of(ref)
            if commit is not None:
                return commit
        raise WorkspaceError(f"the repository has no branch {source.base!r} to start from", code="workspace")

    async def _make(self, workspace: Workspace, commit: str) -> None:
        fresh = workspace.path.with_name(new_id("new"))
        fresh.mkdir(parents=True)
        mirror = workspace.mirror
        try:
            await self.git.run(fresh, "init", "--quiet")
            alternates = fresh / ".git" / "objects" / "info" / "alternates"
            alternates.write_text(f"{mirror.path.absolute() / 'objects'}\n", encoding="utf-8")
            await self.git.run(fresh, "checkout", "--quiet", "-B", workspace.branch, commit)
            fresh.rename(workspace.path)
        finally:
            await asyncio.to_thread(shutil.rmtree, fresh, ignore_errors=True)
