"""What the tracker answers over HTTP: GitHub's paths go to REST or git, all others to the pages, through one guard."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.faults import MovedError, RefusedError
from bot.trackers.embedded.git_http import PATH, GitHttp
from bot.trackers.embedded.guard import HostGuard
from bot.trackers.embedded.pages.app import build_pages
from bot.trackers.embedded.pull_desk import PullDesk
from bot.trackers.embedded.rest import (
    apps,
    checks,
    comments,
    hooks,
    issues,
    pulls,
    repositories,
    reviews,
    statuses,
    teams,
)
from bot.trackers.embedded.rest.answers import refused, unrouted
from bot.trackers.embedded.rest.moved import ById, moved

_ENTERPRISE = "/api/v3"
"""Where GitHub Enterprise Server has what github.com has at the root of its API host."""

_AT_ROOT = ("/repos/", "/repositories/", "/users/", "/orgs/", "/app/", "/app-manifests/", "/installation/")
"""Beginnings of REST's paths where it has no host of its own."""


def build_app(desk: Desk, pull_desk: PullDesk) -> ASGIApp:
    """Put REST and pages together. Requests may name the loopback hosts and the host of the base address."""
    host = urlsplit(desk.links.base).hostname
    served = Split(ById(_build_rest(desk, pull_desk), desk), build_pages(desk, pull_desk), GitHttp(desk, pull_desk))
    return HostGuard(served, own=host)


def _build_rest(desk: Desk, pull_desk: PullDesk) -> Starlette:
    parts = (apps, repositories, issues, comments, pulls, reviews, checks, statuses, hooks, teams)
    rest = Starlette(
        routes=[route for part in parts for route in part.ROUTES],
        exception_handlers={MovedError: moved, RefusedError: refused, HTTPException: unrouted},
    )
    rest.state.desk, rest.state.pull_desk = desk, pull_desk
    return rest


class Split:
    """Hands a request to REST, to git or to the pages, by its path."""

    def __init__(self, rest: ASGIApp, pages: ASGIApp, git: ASGIApp) -> None:
        self._rest = rest
        self._pages = pages
        self._git = git

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on one request."""
        path = scope.get("path", "")
        if path.startswith(f"{_ENTERPRISE}/"):
            await self._rest({**scope, "root_path": scope.get("root_path", "") + _ENTERPRISE}, receive, send)
        elif path in {"/user", "/app"} or path.startswith(_AT_ROOT):
            await self._rest(scope, receive, send)
        elif PATH.fullmatch(path):
            await self._git(scope, receive, send)
        else:
            await self._pages(scope, receive, send)
