"""Real repositories: the tracker's, which people and the bot push to, and what a run does in its workspace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.executors.workspace.workspaces import Source

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": os.devnull,
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Someone",
    "GIT_AUTHOR_EMAIL": "someone@example.test",
    "GIT_COMMITTER_NAME": "Someone",
    "GIT_COMMITTER_EMAIL": "someone@example.test",
}

Files = Mapping[str, str | None]


def git(directory: Path, *arguments: str) -> str:
    """Run git as a person or a run would: with the repository's own configuration and hooks."""
    ended = subprocess.run(["git", *arguments], cwd=directory, env=_ENVIRONMENT, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr.decode()
    return ended.stdout.decode().strip()


def write(directory: Path, files: Files) -> None:
    for name, content in files.items():
        path = directory / name
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")


def commit(directory: Path, files: Files, message: str = "Change", *options: str) -> str:
    write(directory, files)
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "-m", message, *options)
    return git(directory, "rev-parse", "HEAD")


@dataclass(frozen=True)
class Remote:
    """The tracker's repository, and a clone by which people push to it."""

    path: Path
    people: Path
    id: int = 11

    @staticmethod
    def make(place: Path, files: Files | None = None, *, number: int = 11) -> Remote:
        place.mkdir()
        remote = Remote(place / "shop.git", place / "people", number)
        git(place, "init", "--quiet", "--bare", "-b", "main", str(remote.path))
        git(place, "init", "--quiet", "-b", "main", str(remote.people))
        commit(remote.people, files or {"README.md": "# Shop\n", "cart.py": "total = 0\n"}, "First")
        git(remote.people, "push", "--quiet", str(remote.path), "main")
        return remote

    @property
    def source(self) -> Source:
        return Source(id=self.id, url=self.path.as_uri(), base="main")

    def tip(self, branch: str) -> str | None:
        return self.branches.get(branch)

    @property
    def branches(self) -> dict[str, str]:
        lines = git(self.path, "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads").splitlines()
        return dict(line.rsplit(" ", 1) for line in lines)

    def push(self, branch: str, files: Files, message: str = "By people") -> str:
        """Commit on a branch as someone else would, from where it is now or from ``main``."""
        start = branch if branch in self.branches else "main"
        git(self.people, "fetch", "--quiet", str(self.path), start)
        git(self.people, "checkout", "--quiet", "--detach", "FETCH_HEAD")
        made = commit(self.people, files, message)
        git(self.people, "push", "--quiet", str(self.path), f"HEAD:refs/heads/{branch}")
        return made

    def log(self, branch: str, base: str = "main") -> list[str]:
        """Return the subjects of a branch's commits beyond the base, oldest first."""
        return git(self.path, "log", "--reverse", "--format=%s", f"{base}..{branch}").splitlines()

    def show(self, branch: str, name: str) -> str:
        return git(self.path, "show", f"{branch}:{name}")

    def hook(self, name: str, script: str) -> None:
        """Give the tracker's repository a hook, as the rules of a tracker are."""
        path = self.path / "hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
