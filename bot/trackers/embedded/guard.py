"""Only requests that name a host of this machine get in: a page elsewhere cannot borrow a name to reach it."""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::\d{1,5})?")


def host_name(header: str) -> str | None:
    """Return the host of a ``Host`` header without its port, in lower case; None when it is not one."""
    found = _HOST.fullmatch(header)
    return None if found is None else found[1].lower()


class HostGuard:
    """Refuses every request whose ``Host`` is neither a loopback name nor the tracker's ``own``."""

    def __init__(self, app: ASGIApp, *, own: str | None) -> None:
        self._app = app
        self._allowed = LOOPBACK | ({own.lower()} if own else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403, or hand the request on."""
        if scope["type"] == "http" and host_name(Headers(scope=scope).get("host", "")) not in self._allowed:
            refusal = PlainTextResponse("This tracker answers on this machine only.", status_code=403)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)
