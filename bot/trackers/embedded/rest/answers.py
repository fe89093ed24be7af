"""Answers in GitHub's manner: JSON with an entity tag, pages with ``Link``, refusals with their reasons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from bot.trackers.embedded.faults import NOT_FOUND, RefusedError
from bot.trackers.embedded.values import Window

DOCUMENTATION = "https://docs.github.com/rest"
MAX_PER_PAGE = 100
DEFAULT_PER_PAGE = 30
JSON = "application/json; charset=utf-8"


def ok(request: Request, document: object, headers: Mapping[str, str] | None = None) -> Response:
    """Answer with JSON."""
    return content(request, json.dumps(document).encode(), JSON, headers or {})


def content(request: Request, body: bytes, media_type: str, headers: Mapping[str, str]) -> Response:
    """Answer with bytes, or with 304 where the caller has them already."""
    tag = hashlib.sha256("\0".join([media_type, *headers.values()]).encode() + b"\0" + body).hexdigest()
    shared = {
        **headers,
        "ETag": f'W/"{tag}"',
        "Cache-Control": "private, max-age=60, s-maxage=60",
        "Vary": "Accept, Authorization, Cookie, X-GitHub-OTP",
    }
    known = {each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")}
    if request.method in {"GET", "HEAD"} and f'"{tag}"' in known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=shared)
    return Response(body, headers={**shared, "Content-Type": media_type})


def created(document: object) -> Response:
    """Answer that something new was made."""
    return Response(json.dumps(document), HTTPStatus.CREATED, {"Content-Type": JSON})


def accepted() -> Response:
    """Answer that it will be done."""
    return Response("{}", HTTPStatus.ACCEPTED, {"Content-Type": JSON})


def nothing() -> Response:
    """Answer that it was done, with nothing to show."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


@dataclass(frozen=True, kw_only=True)
class Page:
    """Which page of a list is asked for, counted from 1."""

    number: int
    size: int

    @property
    def window(self) -> Window:
        """The stretch of the list that is this page."""
        return Window(limit=self.size, offset=(self.number - 1) * self.size)


def page_of(request: Request) -> Page:
    """Return the page that the query asks for. As at GitHub, what is not a sensible number is the default."""
    number = _count(request, "page", 1)
    return Page(number=number, size=min(_count(request, "per_page", DEFAULT_PER_PAGE), MAX_PER_PAGE))


def _count(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    # Nine digits, since a database takes no number of any length.
    value = int(text[:9]) if text.isascii() and text.isdigit() else 0
    return value if value > 0 else default


def listing(request: Request, entries: Sequence[object], page: Page, total: int) -> Response:
    """Answer with one page of a list, and with links to the others."""
    return ok(request, entries, links(request, page, total))


def links(request: Request, page: Page, total: int) -> Mapping[str, str] | None:
    """Return the header that links one page of a list to the others, None where there are none."""
    last = max(1, -(-total // page.size))
    wanted = {"prev": page.number - 1, "next": page.number + 1, "last": last, "first": 1}
    if page.number >= last:
        wanted = {"prev": page.number - 1, "first": 1}
    if page.number == 1:
        wanted = {name: number for name, number in wanted.items() if name in {"next", "last"}}
    found = [link(request, name, page=number) for name, number in wanted.items()]
    return {"Link": ", ".join(found)} if found else None


def link(request: Request, relation: str, **query: object) -> str:
    """Return one ``Link`` to the same list with a changed query."""
    base = str(request.app.state.desk.links.base)
    url = request.url.include_query_params(**query)
    return f'<{base}{url.path}?{url.query}>; rel="{relation}"'


async def refused(_: Request, error: Exception) -> Response:
    """Answer with the reason of a refusal."""
    if not isinstance(error, RefusedError):
        raise error
    status = error.status or HTTPStatus.INTERNAL_SERVER_ERROR
    document: dict[str, object] = {"message": str(error)}
    if error.details:
        document["errors"] = list(error.details)
    document |= {"documentation_url": DOCUMENTATION, "status": str(int(status))}
    return Response(json.dumps(document), status, {"Content-Type": JSON})


async def unrouted(request: Request, error: Exception) -> Response:
    """Answer for a path or method that is not served: GitHub tells no difference."""
    if not isinstance(error, HTTPException):
        raise error
    return await refused(request, RefusedError(NOT_FOUND, "Not Found"))
