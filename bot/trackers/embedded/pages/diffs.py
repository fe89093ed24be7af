"""The changed files of a pull request, line by line, each with its colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.trackers.embedded.comparing import ChangedFile

MAX_LINES = 2_000
"""Lines of a diff that a page shows."""
_KINDS = {"+": "added", "-": "removed", "@": "hunk", "\\": "note"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a diff; ``kind`` names its colour."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class ShownFile:
    """A changed file; ``left_out`` counts the lines that are too many for the page."""

    changed: ChangedFile
    lines: tuple[Line, ...]
    left_out: int


def shown(files: Iterable[ChangedFile]) -> tuple[ShownFile, ...]:
    """Return the files with their lines, up to ``MAX_LINES`` in all."""
    room = MAX_LINES
    found: list[ShownFile] = []
    for changed in files:
        lines = changed.patch.split("\n") if changed.patch else []
        kept = tuple(Line(kind=_KINDS.get(text[:1], "same"), text=text) for text in lines[:room])
        found.append(ShownFile(changed=changed, lines=kept, left_out=len(lines) - len(kept)))
        room -= len(kept)
    return tuple(found)
