"""
Markdown of comments to HTML that cannot do anything: text, links, and four elements to fold and to space.

Other HTML is shown as the text that it is; HTML comments are not shown at all, as at GitHub.
"""

from __future__ import annotations

import html
import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from markupsafe import Markup

from bot.trackers.embedded.pages.references import link_references

_PIECE = re.compile(
    r"(?P<comment><!--.*?(?:-->|\Z))"
    r"|(?P<open><(?P<opened>details|summary|sub)>)"
    r"|(?P<shown><details open>)"
    r"|(?P<close></(?P<closed>details|summary|sub)>)"
    r"|(?P<break><br\s*/?>)",
    re.DOTALL,
)
_OPEN = "open elements"


def _html(_: RendererHTML, tokens: Sequence[Token], index: int, __: OptionsDict, env: MutableMapping[str, Any]) -> str:
    return _harmless(tokens[index].content, env.setdefault(_OPEN, []))


def _harmless(source: str, still_open: list[str]) -> str:
    """Return HTML with everything escaped that is not allowed; only what is open can be closed."""
    parts: list[str] = []
    end = 0
    for found in _PIECE.finditer(source):
        parts.append(html.escape(source[end : found.start()]))
        parts.append(_piece(found, still_open))
        end = found.end()
    return "".join([*parts, html.escape(source[end:])])


def _piece(found: re.Match[str], still_open: list[str]) -> str:
    if found["break"]:
        return "<br>"
    if found["open"] or found["shown"]:
        still_open.append(found["opened"] or "details")
        return found[0]
    if found["close"] and still_open and still_open[-1] == found["closed"]:
        still_open.pop()
        return found[0]
    return ""


def _build() -> MarkdownIt:
    # Reading HTML is on, so that folds are recognised where GitHub does; what becomes of it is decided above.
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    reader.add_render_rule("html_block", _html)
    reader.add_render_rule("html_inline", _html)
    reader.core.ruler.push("references", link_references)
    return reader


_READER = _build()


def render(text: str, *, repository_path: str) -> Markup:
    """Return the text as HTML; ``#12`` leads to that thread below ``repository_path``."""
    env: dict[str, Any] = {"repository_path": repository_path}
    body = _READER.render(text, env)
    return Markup(body + "".join(f"</{name}>" for name in reversed(env.get(_OPEN, []))))  # noqa: S704 - made harmless
