"""
Cut text of a thread into the parts that decide whether a person sees it: text, code, tags and comments.

This is not a renderer. Wherever it cannot tell whether a browser would show something, it leans towards
"hidden": a few lost characters harm less than an order that only the agent reads. So a code block counts as
one only where no tag could have swallowed its fence, and markup that never ends hides the rest.
"""

from __future__ import annotations

import enum
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

RAW = frozenset({"pre", "script", "style", "textarea"})
"""Elements that run on to their end tag, over blank lines and fences alike."""

_NEXT = re.compile(r"^(?:`{3,}[^`\n]*|~{3,}[^\n]*)$|<!--|<!|<\?|</?[A-Za-z]", re.MULTILINE)
_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>(?:"[^"]*+"|'[^']*+'|[^'">])*+)>""")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]++)(?:\s*+=\s*+("[^"]*+"|'[^']*+'|[^\s"'>]++))?""")
_BLANK = re.compile(r"\n[ \t]*\n")
# What may stand before a tag on its line when the tag begins a block: quote marks, list marks, numbers.
_BLOCK_START = re.compile(r"[ \t>*+.)0-9-]*")
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)(?=[\s/>]|\Z)")
_UNFINISHED_END = re.compile(r">|(?=\n[ \t]*\n)")
_INFO = re.compile(r"[ \t]*([\w+#.-]{1,30})?")
# Each beginning of a tag that never ends costs a look at the rest; text that costs more than this many
# characters was made to.
_COST_LIMIT = 10_000_000


class Sort(enum.Enum):
    """What a part is."""

    TEXT = "text"
    CODE = "code"
    START = "start"
    END = "end"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of the text. ``name`` and ``attributes`` (lower case) are set for tags."""

    sort: Sort
    text: str
    name: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


def parts(text: str) -> Iterator[Part]:
    """Yield the parts in order; comments, declarations and what follows hopeless markup are left out."""
    return _Scanner(text).parts()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._markup_end: int | None = None
        self._blank: int | None = None
        self._last_close = text.rfind(">")
        self._raw: str | None = None
        self._cost = 0
        self._unclosed: set[str] = set()

    def parts(self) -> Iterator[Part]:
        text = self._text
        while match := _NEXT.search(text, self._at):
            if match.start() > self._at:
                yield Part(sort=Sort.TEXT, text=text[self._at : match.start()])
            self._at = match.start()
            opener = match[0]
            if opener[0] in "`~":
                yield self._fence(opener)
            elif opener == "<!--":
                self._skip("-->")
            elif opener in {"<!", "<?"}:
                self._skip("]]>" if text.startswith("<![CDATA[", self._at) else ">")
            else:
                tag = self._tag()
                if tag is not None:
                    yield tag
            if self._cost > _COST_LIMIT:
                return
        yield Part(sort=Sort.TEXT, text=text[self._at :])

    def _skip(self, end: str) -> None:
        found = self._text.find(end, self._at)
        self._leave(len(self._text) if found < 0 else found + len(end))

    def _fence(self, opener: str) -> Part:
        mark = opener[: len(opener) - len(opener.lstrip(opener[0]))]
        end = self._closing(mark, self._at + len(opener)) if self._outside_markup() else None
        if end is None:
            self._at += len(mark)
            return Part(sort=Sort.TEXT, text=mark)
        inside = self._text[self._at + len(opener) : end]
        self._at = end
        # Of what follows the fence on its line, a page shows at most the colours of a language.
        info = _INFO.match(opener, len(mark))
        language = (info[1] if info else None) or ""
        return Part(sort=Sort.CODE, text=f"{mark}{language}{inside}")

    def _closing(self, mark: str, start: int) -> int | None:
        if mark in self._unclosed:
            return None
        closing = re.compile(rf"^ {{0,3}}{mark}{mark[0]}*[ \t]*$", re.MULTILINE)
        found = closing.search(self._text, start)
        if found is None:
            self._unclosed.add(mark)
            return None
        return found.end()

    def _outside_markup(self) -> bool:
        """Tell whether no tag could have swallowed what stands here: a blank line ends a block of markup."""
        if self._raw is not None:
            return False
        if self._markup_end is None:
            return True
        if self._blank is None:
            found = _BLANK.search(self._text, self._markup_end)
            self._blank = found.end() if found else len(self._text) + 1
        return self._blank <= self._at

    def _leave(self, end: int) -> None:
        """Go on after a piece of markup."""
        self._at = self._markup_end = end
        self._blank = None

    def _tag(self) -> Part | None:
        outside = self._outside_markup()
        name = _NAME.match(self._text, self._at)
        if outside and name is None:
            # A comparison such as `i<n; x>y`.
            return self._bracket()
        lasting = not outside or (name is not None and name[1].lower() in RAW)
        end = len(self._text) if lasting else self._paragraph_end()
        match = _TAG.match(self._text, self._at, end) if self._at < self._last_close else None
        if match is None:
            self._cost += end - self._at
            begins = _BLOCK_START.fullmatch(self._text, self._text.rfind("\n", 0, self._at) + 1, self._at)
            if outside and not begins:
                return self._bracket()
            self._skip_unfinished()
            return None
        self._leave(match.end())
        return self._whole(match)

    def _whole(self, match: re.Match[str]) -> Part:
        name = match["name"].lower()
        if match["end"]:
            self._raw = None if name == self._raw else self._raw
            return Part(sort=Sort.END, text=match[0], name=name)
        if self._raw is None and name in RAW:
            self._raw = name
        return Part(sort=Sort.START, text=match[0], name=name, attributes=_attributes(match["rest"]))

    def _bracket(self) -> Part:
        self._at += 1
        return Part(sort=Sort.TEXT, text="<")

    def _paragraph_end(self) -> int:
        found = _BLANK.search(self._text, self._at)
        return found.start() if found else len(self._text)

    def _skip_unfinished(self) -> None:
        """Leave out a tag that begins a block or stands in one and does not end: a browser shows none of it."""
        found = _UNFINISHED_END.search(self._text, self._at)
        self._leave(found.end() if found else len(self._text))


def _attributes(rest: str) -> tuple[tuple[str, str], ...]:
    found = _ATTRIBUTE.finditer(rest)
    return tuple((match[1].lower(), html.unescape((match[2] or "").strip("\"'"))) for match in found)
