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
ControlId = NewType("ControlId", str)

_ALPHABET = b"0123456789abcdefghjkmnpqrstvwxyz"
_LETTERS = bytes(_ALPHABET[byte % len(_ALPHABET)] for byte in range(256))
"""The letter for each byte; 32 letters divide 256 evenly, so that each is as likely as any other."""
_LENGTH = 16


def new_id(prefix: str) -> str:
    """Return a new random identity such as ``wrk-4m2k9x…``: 80 bits, safe in URLs, branch names and logs."""
    return f"{prefix}-{secrets.token_bytes(_LENGTH).translate(_LETTERS).decode()}"
