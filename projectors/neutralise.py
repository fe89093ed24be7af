"""
Make text from outside inert: it names nobody, refers to nothing, closes nothing and hides nothing.

A tracker turns ``@name``, ``#12``, ``owner/repo#12``, ``GH-12`` and addresses of issues into links, tells people of
them, and closes issues for ``fixes #12``. All of that works on the text as shown, outside code. So each such place
gets a zero-width space, which breaks the pattern and is not seen; a closing word without a reference does nothing.
Addresses go through ``redirect.github.com``, which leads to the same page and is no reference. A comment in the HTML
would be no separator here: it is dropped before references are looked for.

HTML is shown as it was written, except for folds that can be closed (see ``projectors.details``). Code stays as it
is, to the byte.

How it is done: every place that may need it is marked, the marked text is parsed, and what turned out to be code is
put back. Marks have the shape of what will stand there, so both texts have one structure. Where this parser and the
tracker's may disagree on what is code (footnotes, addresses that run into a backtick), the cause is taken away too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from projectors.details import ALLOWED, stays_by_itself
from projectors.markdown import Code, code_in, mark, parse

GAP = "\u200b"
"""A zero-width space."""

_ITEM = re.compile(
    r"""(?ix)
    https?:\\?/\\?/ (?P<www>(?:www\\?\.)?) (?=github\\?\.com
      \\?/[^\s/<>()]{1,100}/[^\s/<>()]{1,200}/(?:issues|pull|pulls|discussions)\\?/)
    """
)
_GLUED = re.compile(r"(?:https?://|ftp://|www\.)(?:[^\s`\\]|\\\S?)*+(?P<tick>`)?", re.IGNORECASE)
_FIND = re.compile(
    rf"""
      (?P<address>(?:(?<=[\s(*_~])|(?<![\s\S]))
        (?:https?://|ftp://|www\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?=[/?#:\s]|\Z)[A-Za-z0-9_./?#:@!$&+,=%~-]*)
    | (?P<autolink><(?:https?|mailto):[^\s<>\\]*>)
    | (?P<fold>{ALLOWED})
    | (?P<entity>(?<!\\)&(?:\#[0-9]{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    | (?P<mention>@(?!{GAP}))
    | (?P<reference>\#(?=[0-9&<]))
    | (?P<short>(?<![A-Za-z0-9])[gG][hH]\\?-(?=[0-9&<]))
    | (?P<footnote>\[(?=\^))
    | (?P<tag><(?=[A-Za-z/!?]))
    """,
    re.VERBOSE,
)
_PLAIN = frozenset("<>&\"' ")
_BEFORE_TAG = re.compile(r"[ \t>*+.)0-9-]*\Z")


@dataclass(frozen=True)
class _Place:
    """A stretch of the text, and what stands there instead unless it is code."""

    at: int
    length: int
    instead: str


def neutralise(text: str) -> str:
    """Return a tidy text (see ``projectors.tidy``) made inert; never raises."""
    places = _places(text, folds=True)
    if not places and "</" not in text and "<details" not in text and "<summary" not in text:
        return text
    marked = _marked(text, places)
    tokens = parse("".join(marked))
    if not stays_by_itself(tokens):
        places = _places(text, folds=False)
        marked = _marked(text, places)
        tokens = parse("".join(marked))
    code = code_in(tokens)
    for number, place in enumerate(places):
        marked[2 * number + 1] = _shown(text, place, number, code)
    return "".join(marked)


def _places(text: str, *, folds: bool) -> list[_Place]:
    """Return the places in order; ``folds`` says whether HTML folds stay as they are."""
    found = [*_patterns(text, folds=folds), *_addresses(text)]
    return sorted(found, key=lambda place: place.at)


def _addresses(text: str) -> Iterator[_Place]:
    for found in _ITEM.finditer(text):
        yield _Place(found.start("www"), len(found["www"]), "redirect.")
    for found in _GLUED.finditer(text):
        if found["tick"]:
            yield _Place(found.start("tick"), 0, " ")


def _patterns(text: str, *, folds: bool) -> Iterator[_Place]:
    for found in _FIND.finditer(text):
        match found.lastgroup:
            case "tag":
                yield _Place(found.start(), 1, "&lt;")
            case "fold" if not folds:
                yield _Place(found.start(), 1, "&lt;")
            case "entity" if _speaks(found[0]) and not text.startswith(GAP, found.end()):
                yield _Place(found.end(), 0, GAP)
            case "mention" if not _harmless(text, found.start()):
                yield _Place(found.end(), 0, GAP)
            case "reference" | "short" | "footnote":
                yield _Place(found.end(), 0, GAP)
            case _:
                pass


def _speaks(entity: str) -> bool:
    """Whether an entity is shown as a letter, digit or sign that could be part of a name or reference."""
    shown = html.unescape(entity)
    return shown.isascii() and shown not in _PLAIN and shown != entity


def _harmless(text: str, at: int) -> bool:
    """Whether an ``@`` stands within a word or path: ``user@example.com``, ``a/@b`` (ag-J08)."""
    before = text[max(at - 2, 0) : at]
    word = before[:1] if before.endswith("/") else before[-1:]
    return word.isascii() and word.isalnum()


def _marked(text: str, places: list[_Place]) -> list[str]:
    """Return the text in pieces; each odd one is the mark of a place."""
    pieces: list[str] = []
    end = 0
    for number, place in enumerate(places):
        # A letter instead of a space could let an address go on, and with it a definition of a link.
        space = " " if place.instead == " " else ""
        pieces += [text[end : place.at], f"{space}{mark(number)}"]
        end = place.at + place.length
    return [*pieces, text[end:]]


def _shown(text: str, place: _Place, number: int, code: Code) -> str:
    before = text[place.at : place.at + place.length]
    if number in code.blocks:
        return before
    if number not in code.spans:
        return place.instead
    # At the start of a line within a span, a tag would end the paragraph and with it the span.
    line = text.rfind("\n", 0, place.at) + 1
    return f"<{GAP}" if before == "<" and _BEFORE_TAG.fullmatch(text, line, place.at) else before
