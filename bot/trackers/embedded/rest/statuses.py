"""Statuses of commits."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import statuses
from bot.trackers.embedded.check_desk import commit_at
from bot.trackers.embedded.check_values import Claim
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.rest.answers import created, links, listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, desk, looking, visit
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.shapes.commits import combined_json, status_json


async def commit_of(request: Request, name: str) -> Commit:
    """Return the commit that the path names. Raises ``RefusedError`` (401, 403, 404, 422)."""
    _, repository = await visit(request)
    return await commit_at(desk(request), repository, request.path_params[name])


async def create(request: Request) -> Response:
    """Say something of a commit."""
    fields = await Fields.read(request, "Status")
    claim = Claim(
        state=fields.required("state"),
        context=fields.text("context") or "default",
        description=fields.text("description"),
        target_url=fields.text("target_url"),
    )
    commit = await commit_of(request, "sha")
    async with acting(request) as (act, repository):
        status = await statuses.report(act, repository, commit, claim)
    return created(status_json(act.links, repository, status))


async def index(request: Request) -> Response:
    """Answer with all that was said of a commit, newest first."""
    page, commit = page_of(request), await commit_of(request, "ref")
    async with looking(request) as (act, repository):
        found = await statuses.of_commit(act, repository, commit.sha, page.window)
    entries = [status_json(act.links, repository, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def show(request: Request) -> Response:
    """Answer with the sum of what the last statuses say."""
    page, commit = page_of(request), await commit_of(request, "ref")
    async with looking(request) as (act, repository):
        found = await statuses.latest(act, repository, commit.sha)
    shown = found[page.window.offset :][: page.size]
    state = statuses.combined(found)
    document = combined_json(act.links, repository, commit.sha, state, shown, len(found))
    return ok(request, document, links(request, page, len(found)))


ROUTES = [
    Route("/repos/{owner}/{repo}/statuses/{sha}", create, methods=["POST"]),
    Route("/repos/{owner}/{repo}/commits/{ref:path}/status", show),
    Route("/repos/{owner}/{repo}/commits/{ref:path}/statuses", index),
]
