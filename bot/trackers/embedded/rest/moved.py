"""Repositories by their former names, and by their ids: GitHub leads from the one to the other."""

from __future__ import annotations

import json
import re
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.trackers.embedded import repositories
from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.faults import MovedError, RefusedError
from bot.trackers.embedded.rest.answers import DOCUMENTATION, JSON

_BY_NAME = re.compile(r"/repos/[^/]+/[^/]+")
_BY_ID = re.compile(r"/repositories/(\d{1,18})/(.+)")


async def moved(request: Request, error: Exception) -> Response:
    """Lead to the same thing by the repository's id; what is not only read keeps its method and body."""
    if not isinstance(error, MovedError):
        raise error
    root = request.scope.get("root_path", "")
    path = request.url.path.removeprefix(root)
    found = _BY_NAME.sub(f"/repositories/{error.repository}", path, count=1)
    query = f"?{request.url.query}" if request.url.query else ""
    url = f"{request.app.state.desk.links.base}{root}{found}{query}"
    reading = request.method in {"GET", "HEAD"}
    status = HTTPStatus.MOVED_PERMANENTLY if reading else HTTPStatus.TEMPORARY_REDIRECT
    document = {"message": status.phrase, "url": url, "documentation_url": DOCUMENTATION}
    return Response(json.dumps(document), status, {"Content-Type": JSON, "Location": url})


class ById:
    """Answers below a repository's id as below its name."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on one request, by the name that the repository has now; who asks is looked at there."""
        root = scope.get("root_path", "")
        found = _BY_ID.fullmatch(scope.get("path", "").removeprefix(root))
        if found is not None:
            scope = {**scope, "path": f"{root}{await self._named(int(found[1]))}/{found[2]}"}
        await self._app(scope, receive, send)

    async def _named(self, identity: int) -> str:
        try:
            async with self._desk.store.transaction() as tx:
                return f"/repos/{(await repositories.by_id(tx, identity)).full_name}"
        except RefusedError:
            return f"/repositories/{identity}"
