"""Replies to commands, as codes: the words are made where the thread is written."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class ReplyCode(enum.Enum):
    """What a reply says."""

    NOT_ALLOWED = "not allowed"
    COULD_NOT_CHECK = "could not check"
    STALE = "stale"
    NOTHING_HELD = "nothing held"
    NOT_ASKED = "not asked"
    NOTHING_LIVE = "nothing live"
    REPEATED = "repeated"
    TOO_LATE = "too late"
    CONTRADICTION = "contradiction"
    IN_CODE = "in code"
    COUNTED = "counted"
    REASON_NEEDED = "reason needed"
    SEVERAL = "several"
    GATE_HOLD = "gate hold"
    BUDGET_HOLD = "budget hold"
    RAISED = "raised"
    NOT_RAISED = "not raised"
    UNKNOWN_VERB = "unknown verb"
    POST_NEW = "post new"
    ON_A_LINE = "on a line"
    GIVEN_UP = "given up"
    NOT_RETRIED = "not retried"
    ALREADY_RUNNING = "already running"
    WRONG_KIND = "wrong kind"
    STATUS = "status"
    HELP = "help"


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply to ``login``; ``details`` fill its words, by name."""

    code: ReplyCode
    login: str
    details: Mapping[str, str] = field(default_factory=dict)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"code": self.code.value, "login": self.login, "details": dict(self.details)}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Reply:
        """Read the JSON form. Raises ``ValueError`` for an unknown code."""
        return Reply(code=ReplyCode(document["code"]), login=document["login"], details=document["details"])
