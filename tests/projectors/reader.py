"""How the tracker reads a comment: what it would link, tell people of, or hide. Independent of what is under test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_SILENT = {"code", "pre", "a", "script", "style"}
# Elements that the tracker keeps; any other tag is dropped, and what stood around it becomes one text.
_BLOCKS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "details", "summary"})
_TABLES = frozenset({"table", "thead", "tbody", "tr", "td", "th"})
_KEPT = _BLOCKS | _TABLES | {"br", "hr", "em", "strong", "s", "img", "b", "i", "sub", "sup", "div"}
_ADDRESS = re.compile(r"(?:(?<=[\s(*_~])|^)(?:https?://|ftp://|www\.)[\w-]+(?:\.[\w-]+)+[^\s<]*", re.MULTILINE)
_LIVE = re.compile(
    r"""(?xi)
      (?<![A-Za-z0-9_/`]) @ [a-z0-9]
    | (?<![A-Za-z0-9_]) / @ [a-z0-9]
    | \# [0-9]
    | (?<![a-z0-9_]) gh- [0-9]
    """,
    re.ASCII,
)
_ITEM = re.compile(r"https?://(?:www\.)?github\.com/[^\s/]+/[^\s/]+/(?:issues|pull|pulls|discussions)/", re.IGNORECASE)


class _Text(HTMLParser):
    """Collects the text outside code and links, and where links lead."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = [""]
        self.links: list[str] = []
        self.comments: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if name == "href" and value]
        self._silent += tag in _SILENT
        if tag in _KEPT | _SILENT:
            self.pieces.append("")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT and self._silent > 0
        if tag in _KEPT | _SILENT:
            self.pieces.append("")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces[-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def _read(body: str) -> _Text:
    text = _Text()
    text.feed(_MARKDOWN.render(body))
    text.close()
    return text


def live(body: str) -> list[str]:
    """Return what in a comment names somebody or refers to an item."""
    read = _read(body)
    texts = [piece for piece in read.pieces if piece.strip()]
    found = [match[0] for piece in texts for match in _LIVE.finditer(_ADDRESS.sub(" ", piece))]
    return found + [match[0] for piece in [*texts, *read.links] for match in _ITEM.finditer(piece)]


def hidden(body: str) -> list[str]:
    """Return the HTML comments of a comment."""
    return _read(body).comments


def code(body: str) -> list[str]:
    """Return the code of a comment, in order."""
    return [
        token.content for token in _flat(_MARKDOWN.parse(body)) if token.type in {"fence", "code_block", "code_inline"}
    ]


def ends_outside(body: str) -> bool:
    """Whether what is written behind a comment stands outside of all that it contains."""
    tokens = _MARKDOWN.parse(f"{body}\n\nbehind")
    paragraph = [(token.type, token.level) for token in tokens[-3:]] == [
        ("paragraph_open", 0),
        ("inline", 1),
        ("paragraph_close", 0),
    ]
    html = "".join(token.content for token in _flat(tokens) if token.type.startswith("html"))
    return paragraph and tokens[-2].content == "behind" and html.count("<details") <= html.count("</details>")


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
