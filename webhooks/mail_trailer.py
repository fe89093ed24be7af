"""
Where the text of a mail ends and its trailer begins.

Many people answer by mail. Below their text stand a signature (``-- ``, with its space) or the mail that
they answer, introduced by a line such as ``On Monday, Ann wrote:`` and quoted. Neither is their word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt

_SIGNATURE = "-- "
_LOOKS_LIKE_ONE = re.compile(r"^-- $|\bwrote:", re.MULTILINE)
_INTRODUCTION_LINES = 3
"""Mail programs wrap the introduction when names are long."""
_BLOCKS = MarkdownIt("commonmark").disable("inline")
_VERBATIM = frozenset({"fence", "html_block"})


def above_trailer(text: str) -> str:
    """Return the text above its first trailer, or all of it. Lines end in line feeds only."""
    if _LOOKS_LIKE_ONE.search(text) is None:
        return text
    lines = text.split("\n")
    shown = _without_verbatim(text, lines)
    for number, line in enumerate(shown):
        if line == _SIGNATURE or _introduces_quote(shown, number):
            return "\n".join(lines[:number])
    return text


def _without_verbatim(text: str, lines: Sequence[str]) -> list[str]:
    """Return the lines with fences and HTML made inert: a patch in a fence ends in a signature of its own."""
    result = list(lines)
    for token in _BLOCKS.parse(text):
        if token.type in _VERBATIM and token.map is not None:
            start, end = token.map
            result[start:end] = ["."] * (end - start)
    return result


def _introduces_quote(lines: Sequence[str], start: int) -> bool:
    if not lines[start].startswith("On "):
        return False
    for number in range(start, min(start + _INTRODUCTION_LINES, len(lines))):
        line = lines[number].rstrip()
        if not line:
            return False
        if line.endswith("wrote:"):
            below = next((after for after in lines[number + 1 :] if after.strip()), "")
            return below.startswith(">")
    return False
