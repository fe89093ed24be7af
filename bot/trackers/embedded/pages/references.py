"""Links from ``#12`` in a text to that issue or pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_REFERENCE = re.compile(r"(?<![\w&/#])#(\d{1,9})\b")


def link_references(state: StateCore) -> None:
    """Make links, except inside of links and code."""
    path = state.env["repository_path"]
    for block in state.tokens:
        if block.type == "inline":
            block.children = list(_linked(block.children or [], path))


def _linked(tokens: list[Token], path: str) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if token.type == "text" and depth == 0:
            yield from _split(token.content, path)
        else:
            yield token


def _split(text: str, path: str) -> Iterator[Token]:
    end = 0
    for found in _REFERENCE.finditer(text):
        yield _text(text[end : found.start()])
        yield Token("link_open", "a", 1, attrs={"href": f"{path}/issues/{found[1]}"})
        yield _text(found[0])
        yield Token("link_close", "a", -1)
        end = found.end()
    yield _text(text[end:])


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
