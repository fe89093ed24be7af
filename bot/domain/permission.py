"""What a person may do in a repository."""

from __future__ import annotations

import enum


class Permission(enum.IntEnum):
    """A level, ordered: a higher one includes the lower ones."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5

    @property
    def word(self) -> str:
        """The level as people write it."""
        return self.name.lower()
