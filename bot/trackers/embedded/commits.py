"""Commits of a bare repository, by their id or by a branch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.clock import SECOND, Millis
from bot.trackers.embedded import branches
from bot.trackers.embedded.faults import unprocessable_message
from bot.trackers.embedded.git import Signature, attempt

_FIELDS = "%H%x00%T%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit; ``branches`` are those of which it is the tip."""

    sha: str
    tree: str
    message: str
    author: Signature
    committer: Signature
    branches: tuple[str, ...]


async def describe(directory: Path, ref: str) -> Commit:
    """Return the commit that a ref leads to. Raises ``RefusedError`` (422) when there is none, ``GitError``."""
    missing = unprocessable_message(f"No commit found for SHA: {ref}")
    if "\0" in ref:  # no program takes it as an argument
        raise missing
    found = await attempt(directory, "log", "-1", f"--format={_FIELDS}", "--end-of-options", f"{ref}^{{commit}}", "--")
    if found.returncode != 0:
        raise missing
    sha, tree, *people, message = found.stdout.decode(errors="replace").split("\0", 8)
    tips = await branches.tips(directory)
    return Commit(
        sha=sha,
        tree=tree,
        message=message.rstrip("\n"),
        author=_signature(*people[:3]),
        committer=_signature(*people[3:]),
        branches=tuple(sorted(name for name, tip in tips.items() if tip == sha)),
    )


def _signature(name: str, email: str, seconds: str) -> Signature:
    return Signature(name=name, email=email, when=Millis(int(seconds) * SECOND))
