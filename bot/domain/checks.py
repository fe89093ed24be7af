"""How the checks of a commit ended."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

_DIGITS = 16


@dataclass(frozen=True, kw_only=True)
class Ended:
    """
    All checks of the commit ``head`` have ended.

    ``red`` are the names of those that failed; ``body`` says so in words.
    """

    head: str
    red: Sequence[str]
    body: str

    @property
    def mark(self) -> str:
        """The commit, and what its checks say together: the same again is no news."""
        names = "\0".join(sorted(set(self.red)))
        return f"{self.head}/{hashlib.sha256(names.encode()).hexdigest()[:_DIGITS] if names else 'green'}"
