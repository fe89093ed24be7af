"""The secrets that sign deliveries, each with the moment until which it counts (gh-K-10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.clock import Millis

_ENTRY = re.compile(r"(?P<value>.*?)\s*(?:;\s*until\s*=\s*(?P<until>.*))?", re.DOTALL)
EXPECTED = "expected a time with its zone, such as 2026-12-31T00:00Z"


@dataclass(frozen=True)
class Secret:
    """A secret; ``until`` is the moment from which it does not count any more, None for one without end."""

    value: bytes = field(repr=False)
    until: Millis | None = None

    def counts(self, now: Millis) -> bool:
        """Whether it still counts."""
        return self.until is None or now < self.until

    @property
    def end(self) -> str:
        """Its end in words, empty for one without."""
        if self.until is None:
            return ""
        return datetime.fromtimestamp(self.until / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")


def read_secret(entry: str) -> Secret:
    """
    Read ``secret`` or ``secret;until=2026-12-31T00:00Z``.

    Raises ``ValueError`` for one that is empty, or whose end is no moment; no part of the secret is in its message.
    """
    found = _ENTRY.fullmatch(entry.strip())
    if found is None or not found["value"]:
        raise ValueError("there is no secret before ;until=")
    until = None if found["until"] is None else _moment(found["until"])
    return Secret(found["value"].encode(), until)


def secret_entries(text: str) -> Sequence[str]:
    """Return the entries of a list with commas between."""
    return [found for entry in text.split(",") if (found := entry.strip())]


def _moment(text: str) -> Millis:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(EXPECTED) from None
    if moment.tzinfo is None:
        raise ValueError(EXPECTED)
    return Millis(int(moment.timestamp() * 1000))
