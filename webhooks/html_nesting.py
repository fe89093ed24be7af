"""
Whether a place in a Markdown text lies inside an HTML element.

Markdown goes on inside of HTML: a paragraph between ``<details>`` and ``</details>`` is an ordinary
paragraph to a Markdown parser, and folded away for the reader.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]*)\b[^<>]*>")

# Elements that the tracker shows. Others are dropped from the text, so that ``<your name>`` is no element.
# Not <p>: nobody closes it, and the next block does.
_NAMES = (
    "a b blockquote code dd del details div dl dt em h1 h2 h3 h4 h5 h6 i ins kbd li ol pre q s samp section "
    "span strike strong sub summary sup table tbody td tfoot th thead tr tt ul var"
)
_ELEMENTS = frozenset(_NAMES.split())


class HtmlNesting:
    """Follows the HTML of a text, fed piece by piece in its order."""

    def __init__(self) -> None:
        self._open: list[str] = []

    @property
    def outside(self) -> bool:
        """Whether no element is open here."""
        return not self._open

    def feed(self, html: str) -> None:
        """Take in the next piece. An element that is never closed stays open to the end."""
        for slash, name in _TAG.findall(_COMMENT.sub("", html)):
            element = name.lower()
            if element not in _ELEMENTS:
                continue
            if not slash:
                self._open.append(element)
            elif element in self._open:
                while self._open.pop() != element:
                    pass
