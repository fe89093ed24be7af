"""Brakes: what stops a Work that starts again and again without getting anywhere, whatever it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.clock import DAY, Millis

MOST_WORDS = 20
"""How many new status words count as progress: who makes up a word for every turn gets nowhere either."""


@dataclass(frozen=True, kw_only=True)
class Brakes:
    """
    The limits in force.

    At most ``starts`` starts of one Work within ``window`` milliseconds without progress, at most ``red_heads``
    distinct failing commits in a row, and at most ``repository_starts`` starts in one repository on a day of UTC.
    """

    starts: int = 5
    window: int = DAY
    red_heads: int = 3
    repository_starts: int = 200


@dataclass(frozen=True, kw_only=True)
class Marks:
    """
    What a Work remembers for its brakes.

    ``starts`` are the times of its starts since the last progress, ``words`` the status words that its attempts ended
    with since a person or a commit brought it on. ``head`` is the last commit that it published, ``reds`` the distinct
    failing commits in a row. ``waived`` is the day (since the epoch, UTC) on which a person let it start although its
    repository had started too often. ``checked`` is the commit whose checks were told of last, and what they
    said, ``unchecked`` the one for whose checks it waits in vain.
    """

    starts: tuple[Millis, ...] = ()
    words: tuple[str, ...] = ()
    head: str | None = None
    reds: tuple[str, ...] = ()
    waived: int | None = None
    checked: str = ""
    unchecked: str = ""

    def started(self, now: Millis, window: int) -> Marks:
        """Count a start, and forget those that have left the window."""
        return replace(self, starts=(*self.recent(now, window), now))

    def recent(self, now: Millis, window: int) -> tuple[Millis, ...]:
        """Return the starts within the window."""
        return tuple(start for start in self.starts if start > now - window)

    def not_started(self) -> Marks:
        """Take the last start back: it was put off through no fault of its own."""
        return replace(self, starts=self.starts[:-1])

    def ended(self, word: str | None) -> Marks:
        """
        Note the word that an attempt ended with; a new one is progress.

        New is what was not said since a person or a commit brought it on: going back and forth between the same words
        gets nowhere.
        """
        if word is None or word in self.words or len(self.words) >= MOST_WORDS:
            return self
        return replace(self, starts=(), words=(*self.words, word))

    def published(self, head: str) -> Marks:
        """Note the commit that was published: a new one is progress."""
        return self if head == self.head else replace(self, starts=(), words=(), head=head)

    def heard(self) -> Marks:
        """Note that a person said something: everything counts anew."""
        return replace(self, starts=(), words=(), reds=())

    def released(self, day: int) -> Marks:
        """Note that a person lifted a brake: starts and failing commits count anew, words that were said stay said."""
        return replace(self, starts=(), reds=(), waived=day)

    def to_document(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "starts": list(self.starts),
            "words": list(self.words),
            "head": self.head,
            "reds": list(self.reds),
            "waived": self.waived,
            "checked": self.checked,
            "unchecked": self.unchecked,
        }

    @staticmethod
    def from_document(document: Mapping[str, Any]) -> Marks:
        """Read the JSON form; what it does not name has not happened yet."""
        return Marks(
            starts=tuple(document.get("starts", ())),
            words=tuple(document.get("words", ())),
            head=document.get("head"),
            reds=tuple(document.get("reds", ())),
            waived=document.get("waived"),
            checked=document.get("checked", ""),
            unchecked=document.get("unchecked", ""),
        )
