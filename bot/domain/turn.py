"""A turn: how an attempt ended, in a word of the playbook's own vocabulary (``core.turn.v1``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.domain.usage import check_units

SCHEMA = "core.turn.v1"
EVENT = "core.execution.turn"
"""The type of the event that an attempt's turn is published as (C-93)."""
STATUS_PATTERN = re.compile(r"[a-z][a-z0-9_-]{0,63}")
COMMENT_LIMIT = 200_000


@dataclass(frozen=True, kw_only=True)
class Turn:
    """
    A declared end of an attempt.

    The core knows no vocabulary of statuses (C-99): any word of the right shape is one (C-92). ``used`` is what
    the run says it used, by unit, beyond what its executor measures. Raises ``ValueError`` for a status of another
    shape, a comment over ``COMMENT_LIMIT`` characters, or amounts that no run may report.
    """

    status: str
    comment: str = ""
    used: Mapping[str, float] = field(default_factory=dict)

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
        check_units(self.used)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"status": self.status, "comment": self.comment, "used": dict(self.used)}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Turn:
        """Read the JSON form. Raises ``ValueError`` as the constructor does."""
        return Turn(status=document["status"], comment=document["comment"], used=document["used"])
