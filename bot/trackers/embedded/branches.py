"""Branches of a bare repository: making it, committing to it, reading and moving tips."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.trackers.embedded.faults import invalid
from bot.trackers.embedded.git import Signature, git

_HEADS = "refs/heads/"
_PATH = re.compile(r"[^\x00-\x1f\"\\/]+(?:/[^\x00-\x1f\"\\/]+)*")
_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.|[./]$))[A-Za-z0-9_][A-Za-z0-9_./+@#=,-]*")


async def create(directory: Path, default_branch: str) -> None:
    """Make an empty bare repository. Raises ``GitError``."""
    await asyncio.to_thread(directory.mkdir, parents=True, exist_ok=True)
    await git(directory, "init", "--quiet", "--bare", f"--initial-branch={default_branch}")


def check_branch(resource: str, field: str, name: str) -> None:
    """Raise ``RefusedError`` (422) unless this can be the name of a branch."""
    if _BRANCH.fullmatch(name) is None:
        raise invalid(resource, field)


@dataclass(frozen=True, kw_only=True)
class Change:
    """A commit to make: ``files`` maps paths to their new text, None deletes."""

    files: Mapping[str, str | None]
    message: str
    by: Signature


async def commit(directory: Path, branch: str, change: Change, *, parent: str | None) -> str:
    """
    Commit a change onto a branch and return the new tip; ``parent`` is the commit before, None for the first.

    Raises ``RefusedError`` (422) for a branch or path that cannot be one, ``GitError``.
    """
    check_branch("Commit", "branch", branch)
    for path in change.files:
        if _PATH.fullmatch(path) is None or {".", "..", ".git"} & set(path.lower().split("/")):
            raise invalid("Commit", "path")
    by = change.by.line().encode()
    stream = [b"commit %s%s\nauthor %s\ncommitter %s\n" % (_HEADS.encode(), branch.encode(), by, by)]
    stream.append(_data(change.message))
    if parent is not None:
        stream.append(b"from %s\n" % parent.encode())
    stream += [_file(path, text) for path, text in change.files.items()]
    await git(directory, "fast-import", "--quiet", stdin=b"".join(stream))
    return (await tips(directory))[branch]


def _file(path: str, text: str | None) -> bytes:
    if text is None:
        return b"D %s\n" % path.encode()
    return b"M 100644 inline %s\n%s" % (path.encode(), _data(text))


def _data(text: str) -> bytes:
    raw = text.encode()
    return b"data %d\n%s\n" % (len(raw), raw)


async def tips(directory: Path) -> dict[str, str]:
    """Return the commit that each branch points to. Raises ``GitError``."""
    listing = await git(directory, "for-each-ref", "--format=%(objectname) %(refname)", _HEADS)
    pairs = (line.split(" ", 1) for line in listing.decode().splitlines())
    return {name.removeprefix(_HEADS): sha for sha, name in pairs}


async def move(directory: Path, branch: str, *, new: str, old: str) -> None:
    """Let a branch point to ``new`` if it still points to ``old``. Raises ``GitError``."""
    await git(directory, "update-ref", f"{_HEADS}{branch}", new, old)


async def keep(directory: Path, number: int, sha: str) -> None:
    """Keep the head of a pull request reachable, whatever becomes of its branch. Raises ``GitError``."""
    await git(directory, "update-ref", f"refs/pull/{number}/head", sha)
