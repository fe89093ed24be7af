"""
The one way for text from outside into a comment: redact, cut, make inert, close what is open.

The order matters. A cut could leave half of a secret that nothing recognises any more, so redaction comes first; a
cut could split what the later steps put in, so they come after it; and what a cut leaves open is closed last.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from projectors.balance import balance
from projectors.inline import escape
from projectors.neutralise import neutralise
from projectors.redact import Redactor
from projectors.size import size
from projectors.tidy import one_line, tidy
from projectors.truncate import shorten, truncate

LINE_LIMIT = 300
_ROUNDS = 12
_STEP = 16
_MOST_BRACKETS = 3_000
_MOST_SPECIAL = 10_000
_MOST_LINES = 5_000
_SPECIAL = "@#<&"
_TICKS = re.compile("`+")


@dataclass(frozen=True, kw_only=True)
class Safe:
    """Makes text safe; ``redactor`` knows the secrets of this installation."""

    redactor: Redactor = field(default_factory=Redactor)

    def block(self, text: str, *, limit: int, full: str | None = None) -> str:
        """
        Return text of any length as Markdown blocks of their own, of at most ``limit`` (see ``projectors.size``).

        A cut is said, with a link to ``full``, the address of the whole text, when there is one. Returns an empty
        text when nothing fits.
        """
        whole = self.redactor.redact(tidy(text)).strip("\n")
        prepare = _as_code if _tangled(truncate(whole, limit)) else _as_markdown
        if size(whole) <= limit:
            shown = prepare(whole)
            if size(shown) <= limit:
                return shown if whole else ""
        most = room = limit - size(f"\n\n{_notice(len(whole), len(whole), full)}")
        for _ in range(_ROUNDS):
            kept = truncate(whole, room)
            if not kept:
                break
            shown = prepare(kept)
            taken = size(shown)
            if taken <= most:
                return f"{shown}\n\n{_notice(len(kept), len(whole), full)}"
            # What is put in grows with the text, so the room shrinks in proportion.
            room = min(room - _STEP, room * most // taken)
        return ""

    def line(self, text: str, *, limit: int = LINE_LIMIT) -> str:
        """Return text as part of a line, every character of it shown as it is, cut at ``limit`` characters."""
        return escape(shorten(self.redactor.redact(one_line(text)), limit))

    def code(self, text: str) -> str:
        """Return a short text, such as the name of a branch, as a span of code."""
        shown = shorten(self.redactor.redact(one_line(text)), LINE_LIMIT)
        ticks = "`"
        while ticks in shown:
            ticks += "`"
        pad = " " if shown[:1] in {"`", ""} or shown[-1:] == "`" else ""
        return f"{ticks}{pad}{shown}{pad}{ticks}"


def _as_markdown(text: str) -> str:
    return balance(neutralise(text))


def _as_code(text: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(longest + 1, 3)
    return f"{fence}text\n{text}\n{fence}"


def _tangled(text: str) -> bool:
    """Whether a text is none that anybody wrote to be read: taking it apart as Markdown could take very long."""
    special = sum(map(text.count, _SPECIAL))
    return text.count("[") > _MOST_BRACKETS or special > _MOST_SPECIAL or text.count("\n") > _MOST_LINES


def _notice(kept: int, whole: int, full: str | None) -> str:
    where = "" if full is None else f" [Read all of it]({full})."
    return f"*Cut here: {kept:,} of {whole:,} characters are shown.*{where}"
