"""A turn: how an attempt ended, in a word of the playbook's own vocabulary (``core.turn.v1``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

SCHEMA = "core.turn.v1"
STATUS_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,63}")
COMMENT_LIMIT = 200_000


@dataclass(frozen=True, kw_only=True)
class Turn:
    """
    A declared end of an attempt.

    The core knows no vocabulary of statuses (C-99): any word of the right shape is one (C-92).
    Raises ``ValueError`` for a status of another shape, or a comment over ``COMMENT_LIMIT`` characters.
    """

    status: str
    comment: str = ""

    def __post_init__(self) -> None:
        if not STATUS_PATTERN.fullmatch(self.status):
            message = (
                f"a turn's status is a lower-case letter, then up to 63 lower-case letters, digits, "
                f"'-' or '_', not {self.status[:80]!r}"
            )
            raise ValueError(message)
        if len(self.comment) > COMMENT_LIMIT:
            message = f"a turn's comment has at most {COMMENT_LIMIT} characters, not {len(self.comment)}"
            raise ValueError(message)
