"""Brakes: what stops a Work that starts again and again without getting anywhere, whatever it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.clock import DAY, Millis


@dataclass(frozen=True, kw_only=True)
class Brakes:
    """
    The limits in force.

    At most ``starts`` starts of one Work within ``window`` milliseconds without progress, at most ``red_heads``
    distinct failing commits in a row, and at most ``repository_starts`` starts in one repository within the window.
    """

    starts: int = 5
    window: int = DAY
    red_heads: int = 3
    repository_starts: int = 200


@dataclass(frozen=True, kw_only=True)
class Marks:
    """
    What a Work remembers for its brakes.

    ``starts`` are the times of its starts since the last progress; ``word`` is the last status word that an attempt
    ended with, ``head`` the last commit that it published, and ``reds`` the distinct failing commits in a row.
    """

    starts: tuple[Millis, ...] = ()
    word: str | None = None
    head: str | None = None
    reds: tuple[str, ...] = ()

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {"starts": list(self.starts), "word": self.word, "head": self.head, "reds": list(self.reds)}

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Marks:
        """Read the JSON form; what it does not name has not happened yet."""
        return Marks(
            starts=tuple(document.get("starts", ())),
            word=document.get("word"),
            head=document.get("head"),
            reds=tuple(document.get("reds", ())),
        )
