"""Reading where the branches of a run's repository stand, as the plain files that they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bot.executors.workspace.beneath import folder, read_text

_COMMIT = re.compile(r"[0-9a-f]{40}")
_SYMBOLIC = "ref: refs/heads/"
_MOST_REF = 4096
_MOST_PACKED = 64 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Heads:
    """
    Where a run left its repository.

    ``branch`` is the commit of the Work's branch, None when it is gone. ``current`` is the branch that is checked
    out, None for none; ``commit`` is what is checked out.
    """

    branch: str | None
    current: str | None
    commit: str | None


def read_heads(workspace: Path, branch: str) -> Heads:
    """Read them. Raises ``OSError`` when the repository is not one, or has a symlink in the place of any."""
    with folder(workspace, ".git") as place:
        head = (read_text(place, "HEAD", _MOST_REF) or "").strip()
        packed = read_text(place, "packed-refs", _MOST_PACKED) or ""
    current = head.removeprefix(_SYMBOLIC) if head.startswith(_SYMBOLIC) else None
    commit = _commit(head) if current is None else _branch(workspace, current, packed)
    return Heads(branch=_branch(workspace, branch, packed), current=current, commit=commit)


def _branch(workspace: Path, name: str, packed: str) -> str | None:
    *inside, last = name.split("/")
    try:
        with folder(workspace, ".git", "refs", "heads", *inside) as place:
            loose = read_text(place, last, _MOST_REF)
    except (FileNotFoundError, NotADirectoryError):
        # A symlink on the way counts as no directory.
        loose = None
    if loose is not None:
        return _commit(loose.strip())
    wanted = f" refs/heads/{name}"
    lines = (line for line in packed.splitlines() if line.endswith(wanted))
    return next((_commit(line.removesuffix(wanted)) for line in lines), None)


def _commit(text: str) -> str | None:
    return text if _COMMIT.fullmatch(text) else None
