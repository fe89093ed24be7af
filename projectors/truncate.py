"""Cut a text so that it fits, at a place where a reader expects a cut."""

from __future__ import annotations

import re

from projectors.size import boundary, longest, size

_BREAKS = (re.compile(r"\n[ \t]*\n"), re.compile(r"\n"), re.compile(r"[ \t]"))
"""Where to cut rather: between paragraphs, else lines, else words."""


def truncate(text: str, limit: int) -> str:
    """Return the beginning of a text that fits into ``limit`` (see ``projectors.size``); all of it when it can."""
    if size(text) <= limit:
        return text
    end = boundary(text, longest(text, limit))
    # A tenth is given up for a clean cut, not more: a text may be one long line.
    earliest = end - end // 10
    for pattern in _BREAKS:
        places = [match.start() for match in pattern.finditer(text, earliest, end)]
        if places:
            end = boundary(text, places[-1])
            break
    return text[:end].rstrip()


def shorten(text: str, limit: int) -> str:
    """Return a line of at most ``limit`` characters, with a visible cut."""
    return text if len(text) <= limit else text[: boundary(text, max(limit - 1, 0))].rstrip() + "…"
