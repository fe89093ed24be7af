"""What lies between a base and a head: sizes, conflicts, the files and the diff, as git sees them now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.trackers.embedded.git import GitError, attempt, git
from bot.trackers.embedded.values import Measure

_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-abbrev", "-M")
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_FILE = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_NULL = "0" * 40


@dataclass(frozen=True, kw_only=True)
class ChangedFile:
    """One file of a diff. ``patch`` begins at the first hunk and is empty for binary files."""

    name: str
    previous: str | None
    status: str
    blob: str | None
    additions: int
    deletions: int
    patch: str


async def related(directory: Path, base: str, head: str) -> bool:
    """Return whether the two have a common ancestor. Raises ``GitError``."""
    return (await attempt(directory, "merge-base", base, head)).returncode == 0


async def measure(directory: Path, base: str, head: str) -> Measure:
    """Return what lies between. Raises ``GitError``, also when the two are not related."""
    ahead = await git(directory, "rev-list", "--count", f"{base}..{head}")
    counts = [_counts(entry) for entry in await _numstat(directory, base, head)]
    return Measure(
        commits=int(ahead),
        additions=sum(added for added, _ in counts),
        deletions=sum(deleted for _, deleted in counts),
        changed_files=len(counts),
        mergeable=await merged_tree(directory, base, head) is not None,
    )


async def merged_tree(directory: Path, base: str, head: str) -> str | None:
    """Return the tree of the merge, or None when there are conflicts. Raises ``GitError``."""
    ended = await attempt(directory, "merge-tree", "--write-tree", "--no-messages", base, head)
    if ended.returncode == 0:
        return ended.stdout.decode().strip()
    if ended.returncode == 1:
        return None
    raise GitError(f"git merge-tree ended with {ended.returncode}: {ended.stderr.decode(errors='replace').strip()}")


async def diff(directory: Path, base: str, head: str) -> str:
    """Return the diff from the common ancestor to the head. Raises ``GitError``."""
    return (await _patch(directory, base, head)).decode(errors="replace")


async def changed_files(directory: Path, base: str, head: str) -> tuple[ChangedFile, ...]:
    """Return the files of the diff, in its order. Raises ``GitError``."""
    raw = await git(directory, *_DIFF, "--raw", "-z", f"{base}...{head}")
    patches = [part for part in _FILE.split(await _patch(directory, base, head)) if part]
    entries = _raw_entries(raw.decode(errors="replace").split("\0"))
    counts = [_counts(entry) for entry in await _numstat(directory, base, head)]
    return tuple(_changed(entry, count, patch) for entry, count, patch in zip(entries, counts, patches, strict=True))


async def _patch(directory: Path, base: str, head: str) -> bytes:
    return await git(directory, *_DIFF, f"{base}...{head}")


async def _numstat(directory: Path, base: str, head: str) -> list[str]:
    listing = await git(directory, *_DIFF, "--numstat", f"{base}...{head}")
    return listing.decode(errors="replace").splitlines()


def _counts(entry: str) -> tuple[int, int]:
    added, deleted, _ = entry.split("\t", 2)
    return (0, 0) if added == "-" else (int(added), int(deleted))


def _raw_entries(parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return, for each file, its ``:modes blobs status`` and its one or two paths."""
    entries: list[tuple[str, list[str]]] = []
    for part in parts:
        if part.startswith(":") and (not entries or entries[-1][1]):
            entries.append((part, []))
        elif part:
            entries[-1][1].append(part)
    return entries


def _changed(entry: tuple[str, list[str]], counts: tuple[int, int], patch: bytes) -> ChangedFile:
    head, paths = entry
    *_, blob, status = head.split(" ")
    _, hunk, rest = patch.decode(errors="replace").partition("\n@@ ")
    return ChangedFile(
        name=paths[-1],
        previous=paths[0] if len(paths) > 1 else None,
        status=_STATUS.get(status[:1], "modified"),
        blob=None if blob == _NULL else blob,
        additions=counts[0],
        deletions=counts[1],
        patch=(hunk + rest).lstrip("\n").removesuffix("\n"),
    )
