"""How the labels begin that only the bot sets."""

from __future__ import annotations

STATE_PREFIX, HOLD_PREFIX = "state:", "hold:"


def looks_ours(name: str) -> bool:
    """Whether a label is one of those by which the bot shows where its Work stands, by its name."""
    return name.casefold().startswith((STATE_PREFIX, HOLD_PREFIX))
