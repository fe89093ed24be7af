"""GitHub's way to write a moment: ISO 8601 in UTC, to the second."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import overload

from bot.clock import SECOND, Millis


@overload
def iso(moment: Millis) -> str: ...
@overload
def iso(moment: Millis | None) -> str | None: ...
def iso(moment: Millis | None) -> str | None:
    """Write a moment, such as ``2026-01-02T03:04:05Z``."""
    if moment is None:
        return None
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse(text: str) -> Millis:
    """Read a moment to the second; without a zone it is UTC. Raises ``ValueError``."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return Millis(int(moment.timestamp()) * SECOND)
