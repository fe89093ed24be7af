"""From templates to answers. Everything is escaped unless it was made harmless before."""

from __future__ import annotations

import functools
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bot.clock import SECOND, Millis
from bot.trackers.embedded.pages import markdown
from bot.trackers.embedded.pages.viewer import chosen, everyone
from bot.trackers.embedded.values import Label

_EMOJI = {
    "+1": "👍",
    "-1": "👎",
    "laugh": "😄",
    "confused": "😕",
    "heart": "❤️",
    "hooray": "🎉",
    "rocket": "🚀",
    "eyes": "👀",
}
_DARK_BELOW = 150
"""Brightness, out of 255, below which white text reads better."""


@functools.cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"markdown": _markdown, "moment": _moment, "emoji": _emoji, "ink": ink}
    return templates


@pass_context
def _markdown(context: Context, text: str) -> Markup:
    return markdown.render(text, repository_path=f"/{context['repository'].full_name}")


def _moment(moment: Millis) -> str:
    return datetime.fromtimestamp(moment // SECOND, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _emoji(content: str) -> str:
    return _EMOJI[content]


def ink(color: str) -> str:
    """Return the colour of text, black or white, that reads on a label of this colour."""
    red, green, blue = bytes.fromhex(color)
    brightness = 0.299 * red + 0.587 * green + 0.114 * blue
    return "ffffff" if brightness < _DARK_BELOW else "000000"


async def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    labels: Sequence[Label] = (),
    leads_to: Sequence[str] = (),
    **values: object,
) -> HTMLResponse:
    """
    Answer with a page. ``labels`` are those whose colours it needs.

    ``leads_to`` are addresses of other sites to which its forms lead in the end; browsers follow to no other.
    """
    accounts = await everyone(request)
    nonce = secrets.token_urlsafe(16)
    body = _templates().get_template(template)
    text = body.render(
        accounts=accounts,
        viewer=chosen(request, accounts),
        here=request.url.path,
        nonce=nonce,
        colors=sorted({label.color for label in labels}),
        **values,
    )
    targets = " ".join(["'self'", *map(_origin, leads_to)])
    policy = (
        f"default-src 'none'; style-src 'self' 'nonce-{nonce}'; script-src 'self'; connect-src 'self'; "
        f"img-src 'self'; form-action {targets}; base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    return HTMLResponse(text, status_code=status, headers=headers)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    # What a manifest names must not write into the policy.
    host = re.sub(r"[^A-Za-z0-9.:\[\]-]", "", parts.netloc)
    return f"{parts.scheme}://{host}"
