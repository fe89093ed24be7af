"""
What a person would see of a text in a thread, and nothing else (ag-K02).

An agent reads the source of a page; a reviewer reads the page. Whatever only the source shows is taken out:
comments, hidden elements, attributes, titles, image descriptions, definitions of links, and characters
without a shape of their own. Code blocks keep their markup, since a page shows it.
"""

from __future__ import annotations

import re
import unicodedata

from bot.playbook.markup import Part, Sort, parts

_DROPPED = frozenset({"script", "style", "template", "noscript", "head", "title", "iframe", "object", "picture", "svg"})
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_HIDING = re.compile(
    r"display:none|visibility:(hidden|collapse)|opacity:0?\.?0*(;|!|$)|font-size:0(px|pt|em|rem|%)?(;|!|$)"
)
_KEPT_ATTRIBUTES = frozenset({"href", "src"})
_ADDRESS = re.compile(r"[^\s\"'<>]{1,300}")
# `[//]: # (words)` and its kin define a link that no text need use, and may give it a title.
_DEFINITION = re.compile(
    r"""^[ \t>*+-]{0,20}\[(?!\^)[^\]\n]{1,999}\]:[ \t]*\n?[ \t]*(?:<[^>\n]*>|[^\s<]\S*)"""
    r"""(?:[ \t]*\n?[ \t]*(?:"[^"]{0,2000}"|'[^']{0,2000}'|\([^)]{0,2000}\)))?[ \t]*$""",
    re.MULTILINE,
)
_IMAGE = re.compile(r"!\[(?:\\.|[^\[\]\\]|\[[^\[\]]*+\])*+\]", re.DOTALL)
_TITLE = re.compile(
    r"""(\]\([^\s()]{0,2000})\s+(?:"[^"]{0,2000}"|'[^']{0,2000}'|\([^)]{0,2000}\))\s*\)""",
)
_IMPLIED_ENDS = frozenset({"dd", "dt", "li", "option", "p", "tbody", "td", "tfoot", "th", "thead", "tr"})

_SHAPELESS_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs"})
# Fillers, variation selectors and reserved ignorable characters, which carry letters past a reader's eye.
_SHAPELESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufe00-\ufe0e\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_KEPT_CONTROLS = frozenset("\n\t")


def visible(text: str) -> str:
    """Return the text as a reader of the page sees it, with LF line ends."""
    shown: list[str] = []
    prose: list[str] = []
    # Open elements since the outermost hidden one; anything inside is hidden as well.
    hidden: list[str] = []
    for part in parts(_shaped(text)):
        if hidden:
            _follow(hidden, part)
        elif part.sort is Sort.CODE:
            shown += [_prose(prose), part.text]
            prose.clear()
        elif part.sort is not Sort.START:
            prose.append(f"</{part.name}>" if part.sort is Sort.END else part.text)
        elif not _hides(part):
            prose.append(_start(part))
        elif part.name not in _VOID:
            hidden.append(part.name)
    return "".join([*shown, _prose(prose)])


def one_line(text: str) -> str:
    """Return the text on one line, with single spaces."""
    return " ".join(_shaped(text).split())


def _shaped(text: str) -> str:
    """Take out what has no shape on a page: zero-width, bidirectional, tag and control characters."""
    text = re.sub("\r\n?|[\x85\u2028\u2029]", "\n", text)
    text = _SHAPELESS.sub("", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        for character in text
        if character in _KEPT_CONTROLS or unicodedata.category(character) not in _SHAPELESS_CATEGORIES
    )


def _follow(hidden: list[str], part: Part) -> None:
    if part.sort is Sort.START and part.name not in _VOID:
        hidden.append(part.name)
    elif part.sort is Sort.END and part.name in hidden:
        # Only elements whose end may be left out are closed from outside; over any other one a browser may
        # ignore the end tag, and what follows would stay hidden.
        open_inside = hidden[len(hidden) - hidden[::-1].index(part.name) :]
        if _IMPLIED_ENDS.issuperset(open_inside):
            del hidden[len(hidden) - len(open_inside) - 1 :]


def _hides(part: Part) -> bool:
    if part.name in _DROPPED:
        return True
    for name, value in part.attributes:
        if name == "hidden" or (name == "type" and value.lower() == "hidden"):
            return True
        if name == "style" and _HIDING.search(re.sub(r"\s|/\*.*?\*/", "", value.lower())):
            return True
    return False


def _start(part: Part) -> str:
    kept = "".join(
        f' {name}="{value}"'
        for name, value in part.attributes
        if name in _KEPT_ATTRIBUTES and _ADDRESS.fullmatch(value)
    )
    return f"<{part.name}{kept}>"


def _prose(pieces: list[str]) -> str:
    """Take out what Markdown itself hides; joined first, since a tag can stand within an image's text."""
    return _TITLE.sub(r"\1)", _IMAGE.sub("![image]", _DEFINITION.sub("", "".join(pieces))))
