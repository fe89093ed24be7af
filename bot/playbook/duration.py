"""Durations as people write them, and back: ``90s``, ``5m``, ``1h30m``, ``2d``."""

from __future__ import annotations

import re

from bot.clock import DAY, HOUR, MINUTE, SECOND

LONGEST = 365 * DAY
EXPECTED = "expected a duration such as 30s, 5m or 1h"

_UNITS = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}
_PATTERN = re.compile(r"(?:([0-9]{1,9})d)?(?:([0-9]{1,9})h)?(?:([0-9]{1,9})m)?(?:([0-9]{1,9})s)?")


def parse_duration(text: str) -> int:
    """
    Return the milliseconds that a text such as ``1h30m`` means; larger units stand first.

    Raises ``ValueError`` for any other shape, for nothing at all and for more than a year: a timer that
    far away is a slip of the pen.
    """
    match = _PATTERN.fullmatch(text)
    if not match or not text:
        raise ValueError(f"{EXPECTED}, not {text[:40]!r}")
    amount = sum(int(count) * unit for count, unit in zip(match.groups(), _UNITS.values(), strict=True) if count)
    if not 0 < amount <= LONGEST:
        raise ValueError(f"a duration is more than nothing and at most 365d, not {text!r}")
    return amount


def format_duration(amount: int) -> str:
    """Return whole seconds of milliseconds in the shortest text that ``parse_duration`` reads back."""
    parts = []
    for name, unit in _UNITS.items():
        count, amount = divmod(amount, unit)
        if count:
            parts.append(f"{count}{name}")
    return "".join(parts)
