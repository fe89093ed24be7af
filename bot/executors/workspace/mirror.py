"""The mirror of one repository: what the tracker has, and what runs have committed."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.executors.workspace.git import Git, GitError
from bot.ids import WorkId, new_id


def remote_ref(branch: str) -> str:
    """Return the ref under which the mirror keeps a branch of the tracker's repository."""
    return f"refs/remotes/origin/{branch}"


def work_ref(work: WorkId) -> str:
    """Return the ref under which the mirror keeps what a Work has committed."""
    return f"refs/trackside/{work}"


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """A bare repository beside the tracker's. Changes of it happen under ``locked()``."""

    path: Path
    url: str
    git: Git

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Hold the mirror's lock, against other tasks and other processes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            await asyncio.to_thread(fcntl.flock, handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    async def update(self) -> None:
        """Fetch all branches, making the mirror first when it is missing. Raises ``GitError``."""
        if not self.path.exists():
            await self._make()
        await self.run("fetch", "--quiet", "--no-tags", "--prune", self.url, "+refs/heads/*:refs/remotes/origin/*")

    async def run(self, *arguments: str) -> str:
        """Run a git command on the mirror. Raises ``GitError``."""
        return await self.git.run(self.path, *arguments, git_dir=self.path)

    async def commit_of(self, ref: str) -> str | None:
        """Return the commit that a ref names, or None when there is no such ref."""
        try:
            return await self.run("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        except GitError:
            return None

    async def _make(self) -> None:
        # Made aside and renamed, so that a crash leaves either all of it or none.
        fresh = self.path.with_name(f"{self.path.name}.{new_id('new')}")
        try:
            await self.git.run(self.path.parent, "init", "--quiet", "--bare", str(fresh))
            fresh.rename(self.path)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
