"""
The hidden mark in everything that we write into a thread.

It names what the comment is, so that it is found again when its id was lost, and it tells our own comments
from those of people, also when the bot posts under a person's token. It also names the instance that wrote it, so
that two of them in one repository keep to their own (gh-L-14).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARK = re.compile(r"<!-- trackside:([a-z]+:[A-Za-z0-9:/_.\-]+)(?: by ([A-Za-z0-9_.\-]+))? -->")


@dataclass(frozen=True)
class Mark:
    """What a mark says; ``instance`` is empty for one that an older version wrote."""

    key: str
    instance: str


def marker(key: str, instance: str = "") -> str:
    """Return the mark for a comment, such as ``sticky:item:1/42`` or ``hold:hld-…``, of an instance."""
    text = f"<!-- trackside:{key}{f' by {instance}' if instance else ''} -->"
    if not _MARK.fullmatch(text):
        raise ValueError(f"{key!r} by {instance!r} cannot be a mark")
    return text


def mark_of(body: str) -> Mark | None:
    """Return the mark at the start of a comment, or None."""
    found = _MARK.match(body)
    return None if found is None else Mark(found[1], found[2] or "")


def marked_as(body: str) -> str | None:
    """Return the key of the mark at the start of a comment, or None."""
    found = mark_of(body)
    return None if found is None else found.key


def is_marked(body: str) -> bool:
    """Whether a comment carries our mark."""
    return marked_as(body) is not None
