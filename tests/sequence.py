"""Identities in order, so that every run of a test writes the same rows."""

from __future__ import annotations

from collections import Counter


class Ids:
    """Makes ``wrk-1``, ``wrk-2``, ``exe-1`` …, each prefix counted apart."""

    def __init__(self) -> None:
        self._made: Counter[str] = Counter()

    def new(self, prefix: str) -> str:
        self._made[prefix] += 1
        return f"{prefix}-{self._made[prefix]}"
