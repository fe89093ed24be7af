"""The application of the pages."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.trackers.embedded.act import Desk
from bot.trackers.embedded.faults import MovedError, RefusedError, not_found
from bot.trackers.embedded.pages import manifests, reading, writing
from bot.trackers.embedded.pages.origin import SameOrigin
from bot.trackers.embedded.pages.render import page
from bot.trackers.embedded.pull_desk import PullDesk

REPO = "/{owner}/{repo}"
THREAD = REPO + "/issues/{number:int}"

ROUTES = [
    Route("/", reading.home),
    Mount("/static", StaticFiles(packages=[(__package__, "static")])),
    Route("/actor", writing.choose_actor, methods=["POST"]),
    Route("/version" + REPO + "/{number:int}", reading.version),
    *[
        route
        for settings in ("/settings", "/organizations/{organization}/settings")
        for route in (
            Route(settings + "/apps/new", manifests.ask_for_app, methods=["GET", "POST"]),
            Route(settings + "/apps/new/confirm", manifests.make_app, methods=["POST"]),
        )
    ],
    Route("/apps/{slug}/installations/new", manifests.choose_repositories),
    Route("/apps/{slug}/installations/new", manifests.install, methods=["POST"]),
    Route(REPO, reading.thread_list),
    Route(REPO + "/issues", reading.thread_list),
    Route(REPO + "/issues", writing.open_issue, methods=["POST"]),
    Route(REPO + "/issues/new", reading.new_issue),
    Route(THREAD, reading.show_thread),
    Route(REPO + "/pull/{number:int}", reading.show_thread),
    Route(THREAD + "/{deed}", writing.do, methods=["POST"]),
]


def build_pages(desk: Desk, pull_desk: PullDesk) -> Starlette:
    """Put the pages together."""
    pages = Starlette(
        routes=ROUTES,
        middleware=[Middleware(SameOrigin, but="/settings/apps/new")],
        exception_handlers={MovedError: _moved, RefusedError: _refused, HTTPException: _unrouted},
    )
    pages.state.desk, pages.state.pull_desk = desk, pull_desk
    return pages


async def _moved(_: Request, error: Exception) -> Response:
    if not isinstance(error, MovedError):
        raise error
    return RedirectResponse(f"/{error.full_name}/issues", 301)


async def _refused(request: Request, error: Exception) -> Response:
    if not isinstance(error, RefusedError):
        raise error
    reasons = [detail if isinstance(detail, str) else _reason(dict(detail)) for detail in error.details]
    return await page(request, "refused.html", status=error.status or 500, message=str(error), reasons=reasons)


def _reason(detail: dict[str, str]) -> str:
    return detail.get("message") or f"{detail.get('field', 'this')}: {detail['code'].replace('_', ' ')}"


async def _unrouted(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    return await _refused(request, not_found())
