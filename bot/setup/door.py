"""
Who may see the pages of ``trackside init``: the one browser that opened the address that was printed.

Every account of the machine reaches a port of the loopback interface, and every page of the web can send a browser
there. So the address holds a key that counts once and becomes a cookie, requests name this very address, and forms come
from these pages.
"""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

_READING = frozenset({"GET", "HEAD"})
_ELSEWHERE = "This page belongs to trackside init, at the address that it printed."
_CLOSED = "Open the address that trackside init printed. It counts once; for another browser run trackside init again."


class Door:
    """Lets one browser in. ``address`` is that of the pages, without a slash at its end."""

    def __init__(self, app: ASGIApp, *, address: str, key: str) -> None:
        self._app = app
        self._address = address
        self._key: str | None = key
        self._visitor = secrets.token_urlsafe(24)
        # A cookie belongs to a host whatever the port.
        self._cookie = f"trackside-init-{urlsplit(address).port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403, let the visitor in, or hand the request on."""
        if scope["type"] != "http":
            return
        answer = self._judge(scope)
        if answer is not None:
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _judge(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host") != urlsplit(self._address).netloc:
            return PlainTextResponse(_ELSEWHERE, 403)
        if scope["method"] not in _READING and not self._own(headers):
            return PlainTextResponse("This form was not sent from a page of trackside init.", 403)
        key = QueryParams(scope["query_string"]).get("key", "")
        if scope["path"] == "/" and self._key is not None and secrets.compare_digest(key.encode(), self._key.encode()):
            self._key = None
            answer = RedirectResponse("/", 303)
            # Not strict: the tracker's site leads back here.
            answer.set_cookie(self._cookie, self._visitor, httponly=True, samesite="lax")
            return answer
        return None if self._known(headers) else PlainTextResponse(_CLOSED, 403)

    def _own(self, headers: Headers) -> bool:
        site = headers.get("sec-fetch-site")
        return site == "same-origin" if site is not None else headers.get("origin") == self._address

    def _known(self, headers: Headers) -> bool:
        cookies = (each.strip().partition("=") for each in headers.get("cookie", "").split(";"))
        return any(
            name == self._cookie and secrets.compare_digest(value.encode(), self._visitor.encode())
            for name, _, value in cookies
        )
