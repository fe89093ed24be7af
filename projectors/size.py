"""
How long a text is for the tracker, and where it may be cut.

GitHub documents 65,536 characters for a comment. What it has been seen to enforce is 262,144 bytes of UTF-8, and
other servers count UTF-16 units, or line ends as two. Counting UTF-16 units with every line end as two stays within
each of these.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

COMMENT_LIMIT = 65_536
"""The size of the longest comment."""

_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_REGIONAL = range(0x1F1E6, 0x1F200)
_ENTITY_START = re.compile(r"&#?[A-Za-z0-9]{0,31}\Z")
_ENTITY_END = re.compile(r"#?[A-Za-z0-9]{0,31};")
# Longer clusters than this are no writing of any language.
_FURTHEST = 64


def size(text: str) -> int:
    """Return the size of a text: its UTF-16 units, with each line end counted as two."""
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return units + text.count("\n") + text.count("\r") - 2 * text.count("\r\n")


def longest(text: str, limit: int) -> int:
    """Return how many characters of a text fit into a size."""
    low, high = 0, min(len(text), max(limit, 0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return low


def boundary(text: str, at: int) -> int:
    """Return the nearest place, at or before ``at``, where a cut splits no character, escape or entity."""
    for place in range(at, max(at - _FURTHEST, 0), -1):
        if not _splits(text, place):
            return place
    return max(at - _FURTHEST, 0)


def _splits(text: str, at: int) -> bool:
    if at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return True
    if _JOINER in {before, after} or _extends(after):
        return True
    if ord(before) in _REGIONAL and ord(after) in _REGIONAL:
        return _run_before(text, at, lambda character: ord(character) in _REGIONAL) % 2 == 1
    if before == "\\":
        return _run_before(text, at, lambda character: character == "\\") % 2 == 1
    started = _ENTITY_START.search(text, max(at - _FURTHEST, 0), at)
    return started is not None and _ENTITY_END.match(text, at) is not None


def _extends(character: str) -> bool:
    """Tell whether a character is drawn into the one before it."""
    return unicodedata.category(character).startswith("M") or ord(character) in _SKIN_TONES or ord(character) in _TAGS


def _run_before(text: str, at: int, same: Callable[[str], bool]) -> int:
    start = at
    while start > 0 and same(text[start - 1]):
        start -= 1
    return at - start
