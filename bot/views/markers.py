"""
The hidden mark in everything that we write into a thread.

It names what the comment is, so that it is found again when its id was lost, and it tells our own comments
from those of people, also when the bot posts under a person's token.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"<!-- trackside:([a-z]+:[A-Za-z0-9:/_.\-]+) -->")


def marker(key: str) -> str:
    """Return the mark for a comment, such as ``sticky:item:1/42`` or ``hold:hld-…``."""
    text = f"<!-- trackside:{key} -->"
    if not _MARK.fullmatch(text):
        raise ValueError(f"{key!r} cannot be a mark")
    return text


def marked_as(body: str) -> str | None:
    """Return the key of the mark at the start of a comment, or None."""
    found = _MARK.match(body)
    return None if found is None else found[1]


def is_marked(body: str) -> bool:
    """Whether a comment carries our mark."""
    return marked_as(body) is not None
