r"""
The grammar of commands in comments and review bodies.

A command is a line of its own: ``/verb``, then perhaps an argument up to the end of the line. The slash
stands at the very start of a line, in a paragraph that is not inside anything: no quote, list, table,
heading, code, link, HTML element or comment, and not below a mail trailer. What counts is how the tracker
shows the text, so it is read as Markdown. Some consequences:

* A line directly below a quote, without an empty line between, belongs to the quote.
* ``\/approve`` is a way to write about the command.
* ``/Approve`` is ``/approve``: phones capitalise. Any other letter, sign or invisible character in or right
  behind the verb makes it another word.

An unknown word is reported only when it resembles a verb; ``/etc`` and ``/usr/bin`` are just text.

Whether a comment may command at all (who wrote it, whether it is an edit) is for the caller to know.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token

from webhooks.html_nesting import HtmlNesting
from webhooks.mail_trailer import above_trailer
from webhooks.verbs import Verb

MAX_TEXT = 65_536
"""Characters that are looked at; the tracker takes no longer comments."""
MAX_COMMANDS = 10
_RESEMBLANCE = 0.75

_NEWLINE = re.compile(r"\r\n?")
_SLASH_LINE = re.compile(r"^/(?=[A-Za-z])", re.MULTILINE)
_LINE = re.compile(r"/([A-Za-z]{1,20})(?:[ \t]+(.*))?")

# Two characters for private use frame the line's number in front of each slash. They have no meaning in
# Markdown, so the text keeps its structure, and the parser tells where each line ended up.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PRIVATE = str.maketrans({_OPEN: "\ufffd", _CLOSE: "\ufffd"})
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command, with the rest of its line as it was written."""

    verb: Verb
    argument: str = ""


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A word that is no verb, but probably was meant to be ``nearest``."""

    word: str
    nearest: Verb


def parse(body: str) -> tuple[Command | Unknown, ...]:
    """Return the commands of a text in their order, at most ``MAX_COMMANDS``; never raises."""
    text = _bounded(_NEWLINE.sub("\n", body))
    if _SLASH_LINE.search(text) is None:
        return ()
    lines = above_trailer(text.translate(_PRIVATE)).split("\n")
    marked = "\n".join(
        f"{_OPEN}{number}{_CLOSE}{line}" if _SLASH_LINE.match(line) else line for number, line in enumerate(lines)
    )
    found = (_read(lines[number]) for number in _plain_lines(_MARKDOWN.parse(marked)))
    return tuple(islice((command for command in found if command is not None), MAX_COMMANDS))


def _bounded(text: str) -> str:
    """Cut at an empty line: within a paragraph, a cut could split a word or open up a span of code."""
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT].rpartition("\n\n")[0]


def _plain_lines(tokens: Sequence[Token]) -> Iterator[int]:
    """Yield the numbers of the marked lines that start a line of a paragraph which is inside nothing."""
    html = HtmlNesting()
    in_paragraph = False
    for token in tokens:
        if token.type == "html_block" and token.level == 0:
            html.feed(token.content)
        elif token.type == "inline" and in_paragraph:
            yield from _starts(token.children or (), html)
        in_paragraph = token.type == "paragraph_open" and token.level == 0


def _starts(children: Iterable[Token], html: HtmlNesting) -> Iterator[int]:
    at_start = True
    for child in children:
        if child.type == "html_inline":
            html.feed(child.content)
        elif at_start and child.type == "text" and child.level == 0 and html.outside:
            mark = _MARK.match(child.content)
            if mark is not None:
                yield int(mark[1])
        at_start = child.type in {"softbreak", "hardbreak"}


def _read(line: str) -> Command | Unknown | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    word = match[1].lower()
    names = [verb.value for verb in Verb]
    if word in names:
        return Command(verb=Verb(word), argument=(match[2] or "").strip())
    near = difflib.get_close_matches(word, names, n=1, cutoff=_RESEMBLANCE)
    return Unknown(word=word, nearest=Verb(near[0])) if near else None
