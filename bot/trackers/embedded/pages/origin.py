"""Forms are taken from the tracker's own pages only: a page elsewhere must not act through a visitor's browser."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_READING = frozenset({"GET", "HEAD"})


def same_origin(scheme: str, headers: Headers) -> bool:
    """
    Return whether a browser says that its own page of this host sends the request.

    ``Sec-Fetch-Site`` decides where it is sent; else ``Origin`` must be this host's. Neither is refused:
    every browser sends one with a form.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return headers.get("origin") == f"{scheme}://{headers.get('host', '')}"


class SameOrigin:
    """
    Refuses every request that may change something and does not come from an own page.

    Paths that end in ``but`` take forms of everybody, since they only show what the form says.
    """

    def __init__(self, app: ASGIApp, *, but: str) -> None:
        self._app = app
        self._but = but

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403, or hand the request on."""
        if (
            scope["type"] != "http"
            or scope["method"] in _READING
            or scope["path"].endswith(self._but)
            or same_origin(scope["scheme"], Headers(scope=scope))
        ):
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse("This form was not sent from a page of this tracker.", status_code=403)
        await refusal(scope, receive, send)
