"""Markdown as the tracker reads it, and which marked places of a text are code there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from projectors.tidy import CLOSE, OPEN

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_MARK = re.compile(f"{OPEN}([0-9]+){CLOSE}")


def parse(text: str) -> list[Token]:
    """Return the block tokens of a text, with inline tokens as their children."""
    return _MARKDOWN.parse(text)


def mark(number: int) -> str:
    """Return a mark for a place. It stands in a text as a letter would, so that the structure stays the same."""
    return f"{OPEN}{number}{CLOSE}"


@dataclass(frozen=True)
class Code:
    """The marks that stand in blocks of code (with what is written behind a fence), and in spans of code."""

    blocks: frozenset[int]
    spans: frozenset[int]


def code_in(tokens: Sequence[Token]) -> Code:
    """Return which marks are code."""
    flat = list(_flat(tokens))
    blocks = [text for token in flat if token.type in {"fence", "code_block"} for text in (token.info, token.content)]
    return Code(_marks(blocks), _marks(token.content for token in flat if token.type == "code_inline"))


def raw_html(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """Yield the HTML of a text in order, each piece with how deep it stands inside of other blocks."""
    for token in tokens:
        if token.type == "html_block":
            yield token.content, token.level
        elif token.type == "inline":
            inside = (child.content for child in token.children or () if child.type == "html_inline")
            # A paragraph opens one level of its own.
            yield from ((content, token.level - 1) for content in inside)


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or ())


def _marks(texts: Iterable[str]) -> frozenset[int]:
    return frozenset(int(found[1]) for text in texts for found in _MARK.finditer(text))
