"""One thing that is wrong with a playbook, said so that its author can mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bot.errors import PlaybookError

LISTED = 100
"""Problems that one error lists; more are only counted."""

Location = tuple[str | int, ...]
"""Where a value stands: keys and list positions from the top of the front matter."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A fault: the file, the line (1 is the first), the key where there is one, and what was expected."""

    path: str
    line: int
    message: str
    key: str = ""

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}: "
        return f"{where}{self.key}: {self.message}" if self.key else f"{where}{self.message}"


def dotted(location: Location) -> str:
    """Return a location as people write it: ``budgets[0].max``."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def failure(problems: Iterable[Problem]) -> PlaybookError:
    """Return the error that reports them, a line each, in the order of files and lines."""
    ordered = sorted(problems, key=lambda problem: (problem.path, problem.line))
    lines = [str(problem) for problem in ordered[:LISTED]]
    if len(ordered) > LISTED:
        lines.append(f"and {len(ordered) - LISTED} more")
    return PlaybookError("\n".join(lines))
