"""The one piece of HTML that text from outside may bring: folds, and line breaks."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown_it.token import Token

from projectors.markdown import raw_html

ALLOWED = r"</?details>|<details\ open>|</?summary>|<br\ ?/?>"
"""The tags, as a pattern for verbose regular expressions."""

_FOLD = re.compile(r"<(/?)(details|summary)( open)?>")


def open_folds(tokens: list[Token]) -> int:
    """Return how many ``<details>`` are open at the end of a text."""
    opened = [found[1] for content, _ in raw_html(tokens) for found in _FOLD.finditer(content) if found[2] == "details"]
    return sum(-1 if slash else 1 for slash in opened)


def stays_by_itself(tokens: list[Token]) -> bool:
    """
    Whether the folds of a text can be closed behind it without touching what is around it.

    They must not stand in a quote or list, close what was not opened, or leave a summary open.
    """
    pieces = list(raw_html(tokens))
    if any(level > 0 for _, level in pieces):
        return False
    return _in_order(found for content, _ in pieces for found in _FOLD.finditer(content))


def _in_order(tags: Iterable[re.Match[str]]) -> bool:
    depth, in_summary = 0, False
    for tag in tags:
        closes = bool(tag[1])
        if tag[2] == "summary":
            if in_summary is not closes or depth == 0:
                return False
            in_summary = not closes
            continue
        depth += -1 if closes else 1
        if in_summary or depth < 0:
            return False
    return not in_summary
