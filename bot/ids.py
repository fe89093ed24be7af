"""Identities: each kind of thing has its own type, so that one is never passed for another."""

from __future__ import annotations

import secrets
from typing import NewType

ScopeId = NewType("ScopeId", str)
EventId = NewType("EventId", str)
WorkId = NewType("WorkId", str)
ExecutionId = NewType("ExecutionId", str)
HoldId = NewType("HoldId", str)
TimerId = NewType("TimerId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 16


def new_id(prefix: str) -> str:
    """Return a new random identity such as ``wrk-4m2k9x…``: 80 bits, safe in URLs, branch names and logs."""
    return f"{prefix}-{''.join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))}"
