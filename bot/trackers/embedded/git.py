"""
Git, as a program: arguments as a list, no configuration of the user or the machine, no prompt.

A call runs in a thread and always ends by itself, so that a cancelled caller leaves no process behind.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.clock import SECOND, Millis
from bot.errors import TrackerError

TIMEOUT = 60
"""Seconds that one git command may take."""


class GitError(TrackerError):
    """A git command failed."""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Who makes a commit, and when."""

    name: str
    email: str
    when: Millis

    def line(self) -> str:
        """Return it as git writes it into a commit."""
        return f"{self.name} <{self.email}> {self.when // SECOND} +0000"

    def environment(self) -> dict[str, str]:
        """Return the variables by which git takes it for author and committer."""
        date = f"{self.when // SECOND} +0000"
        return {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", self.name), ("EMAIL", self.email), ("DATE", date))
        }


async def git(
    directory: Path, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> bytes:
    """Run git in a bare repository and return what it wrote. Raises ``GitError``."""
    ended = await attempt(directory, *arguments, stdin=stdin, environment=environment)
    if ended.returncode != 0:
        reason = ended.stderr.decode(errors="replace").strip()
        raise GitError(f"git {arguments[0]} ended with {ended.returncode}: {reason}")
    return ended.stdout


async def attempt(
    directory: Path, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a bare repository and return how it ended. Raises ``GitError`` when it could not run to an end."""
    command = ["git", "--git-dir", str(directory), *arguments]
    try:
        return await asyncio.to_thread(_run, command, stdin, {**_environment(), **(environment or {})})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]} did not run: {error}") from error


def _run(command: Sequence[str], stdin: bytes, environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - a list of arguments, and no shell that could read more into them
        command, input=stdin, capture_output=True, check=False, timeout=TIMEOUT, env=environment
    )


def _environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }
