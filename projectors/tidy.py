"""Bring text from outside into a plain shape before anything else looks at it."""

from __future__ import annotations

import re

OPEN, CLOSE = "\ufdd0", "\ufdd1"
"""
Two code points that Unicode keeps free for use within a program. The steps that follow mark places with them, so no
text may bring its own.
"""

_LINE_END = re.compile("\r\n?|[\x85\u2028\u2029]")
_TERMINAL = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+[@-~]"  # colours and cursor movements
    r"|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)"  # titles and links
    r"|\x1b[@-Z\\-_]"
)
# Control characters, and those that turn the direction of writing around (ag-K02).
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def tidy(text: str) -> str:
    """Return the text with LF line ends, without terminal and control codes; halves of pairs become U+FFFD."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = _LINE_END.sub("\n", text)
    text = _TERMINAL.sub("", text)
    text = _UNSEEN.sub("", text)
    return text.replace(OPEN, "\ufffd").replace(CLOSE, "\ufffd")


def one_line(text: str) -> str:
    """Return the text on one line, with single spaces."""
    return " ".join(tidy(text).split())
