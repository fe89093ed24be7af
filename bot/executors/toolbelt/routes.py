"""The HTTP side of the toolbelt, as routes that the host mounts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from bot.domain.turn import Turn
from bot.executors.toolbelt import wire

PATH = "/toolbelt/turn"

Record = Callable[[str, Turn], Awaitable[bool]]
"""Record a turn for the launch that holds this token, under its fence; False when no launch holds it."""


def router(record: Record) -> APIRouter:
    """
    Return the routes by which running attempts declare their turns.

    ``POST /toolbelt/turn`` with a bearer token and ``{"status", "comment"}`` answers 204 once ``record``
    said True, 400 for a turn that is none, 401 for a token that nobody holds, 413 for a body over 1 MiB.
    """

    async def declare(request: Request) -> Response:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return _problem(401, "a bearer token is needed")
        body = await _body(request)
        if body is None:
            return _problem(413, f"a turn has at most {wire.BODY_LIMIT} bytes")
        try:
            turn = wire.decode(body)
        except ValueError as error:
            return _problem(400, str(error))
        if not await record(token, turn):
            return _problem(401, "no running attempt holds this token")
        return Response(status_code=204)

    routes = APIRouter()
    routes.add_route(PATH, declare, methods=["POST"], include_in_schema=False)
    return routes


async def _body(request: Request) -> bytes | None:
    # counted as it comes: a length that the client states binds nobody
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > wire.BODY_LIMIT:
            return None
    return bytes(body)


def _problem(status: int, detail: str) -> Response:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None  # noqa: PLR2004 - HTTP's own number
    content = {"status": status, "title": "The turn was not recorded", "detail": detail}
    return JSONResponse(content, status, headers, media_type="application/problem+json")
