"""The mirror of one repository: what the tracker has, and what runs have committed."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.executors.workspace.discard import discard
from bot.executors.workspace.git import Git, GitError
from bot.ids import WorkId

_PAUSE = 0.05
"""Seconds between two looks at a lock that someone else holds."""


def remote_ref(branch: str) -> str:
    """Return the ref under which the mirror keeps a branch of the tracker's repository."""
    return f"refs/remotes/origin/{branch}"


def work_ref(work: WorkId) -> str:
    """Return the ref under which the mirror keeps what a Work has committed."""
    return f"refs/trackside/work/{work}"


def published_ref(work: WorkId) -> str:
    """Return the ref under which the mirror keeps what was published of a Work when nothing of others was in it."""
    return f"refs/trackside/published/{work}"


def pull_request_ref(number: int) -> str:
    """Return the ref under which the mirror keeps the head of a pull request, of a fork or not."""
    return f"refs/pull/{number}/head"


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """A bare repository beside the tracker's, at ``path``. All that happens to it, happens while it is held."""

    path: Path
    url: str
    git: Git

    @asynccontextmanager
    async def held(self) -> AsyncIterator[HeldMirror]:
        """
        Hold the mirror, against other tasks and other processes, and clean up after a holder that was killed.

        A git command of such a holder that is still at work holds the mirror too, until it ends.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            # A thread that waits for a lock could not be cancelled.
            while not _locked(handle):  # noqa: ASYNC110 - another process tells nobody when it lets go
                await asyncio.sleep(_PAUSE)
            await asyncio.to_thread(self._clean)
            yield HeldMirror(mirror=self, lock=handle)
        finally:
            os.close(handle)

    @property
    def scratch(self) -> Path:
        """A directory for what is needed while the mirror is held; empty when it begins to be."""
        return self.path.with_suffix(".scratch")

    def _clean(self) -> None:
        discard(self.scratch)
        self.scratch.mkdir()
        refs = self.path / "refs"
        unfinished = [*self.path.glob("*.lock"), *refs.rglob("*.lock"), *self.path.glob("objects/pack/tmp_*")]
        for path in unfinished:
            path.unlink()


@dataclass(frozen=True, kw_only=True)
class HeldMirror:
    """A mirror while it is held."""

    mirror: Mirror
    lock: int

    async def update(self) -> None:
        """Fetch all branches, making the mirror first when it is missing. Raises ``GitError``."""
        if not self.mirror.path.exists():
            await self._make()
        refs = "+refs/heads/*:refs/remotes/origin/*"
        await self.run("fetch", "--quiet", "--no-tags", "--prune", "--", self.mirror.url, refs, reach=True)

    async def fetch_pull_request(self, number: int) -> None:
        """Fetch the head of a pull request. Raises ``GitError``."""
        ref = pull_request_ref(number)
        await self.run("fetch", "--quiet", "--no-tags", "--", self.mirror.url, f"+{ref}:{ref}", reach=True)

    async def run(
        self,
        *arguments: str,
        reach: bool = False,
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run a git command on the mirror, which may ``reach`` the tracker. Raises ``GitError``."""
        return await self.run_in(
            self.mirror.path,
            f"--git-dir={self.mirror.path}",
            *arguments,
            reach=reach,
            settings=settings,
            environment=environment,
        )

    async def run_in(
        self,
        directory: Path,
        *arguments: str,
        reach: bool = False,
        settings: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Run a git command in another directory while the mirror is held. Raises ``GitError``."""
        remote = self.mirror.url if reach else ""
        return await self.mirror.git.run(
            directory, *arguments, remote=remote, settings=settings, environment=environment, keep=self.lock
        )

    async def commit_of(self, ref: str) -> str | None:
        """Return the commit that a ref names, or None when there is no such ref. Raises ``GitError``."""
        # A pattern is a whole name or the beginning of a path.
        lines = await self.run("for-each-ref", "--format=%(refname) %(objectname)", ref)
        return dict(line.rsplit(" ", 1) for line in lines.splitlines()).get(ref)

    async def count(self, *revisions: str) -> int:
        """Return how many commits a list of revisions, such as ``A ^B``, selects. Raises ``GitError``."""
        return int(await self.run("rev-list", "--count", *revisions, "--"))

    async def contains(self, commit: str, ancestor: str) -> bool:
        """Return whether a commit is another one or has it among its ancestors. Raises ``GitError``."""
        try:
            await self.run("merge-base", "--is-ancestor", ancestor, commit)
        except GitError as error:
            if error.status == 1:
                return False
            raise
        return True

    async def _make(self) -> None:
        # Made aside and renamed, so that a crash leaves either all of it or none.
        fresh = self.mirror.scratch / "mirror"
        await self.run_in(self.mirror.scratch, "init", "--quiet", "--bare", "--template=", str(fresh))
        fresh.rename(self.mirror.path)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
