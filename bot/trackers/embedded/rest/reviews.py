"""Reviews of pull requests."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import reviews
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.rest.answers import listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, identity, looking, pull_desk, visit
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.rest.pulls import PULL
from bot.trackers.embedded.shapes.pulls import review_json


async def index(request: Request) -> Response:
    """Answer with the reviews of a pull request, oldest first."""
    page, number = page_of(request), identity(request)
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, number)
        await find_pull(act, thread)
        found = await reviews.reviews_of(act, thread, page.window)
    entries = [review_json(act.links, repository, number, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def create(request: Request) -> Response:
    """Submit a review; GitHub answers 200 here, not 201."""
    fields = await Fields.read(request, "PullRequestReview")
    verdict, number = fields.required("event"), identity(request)
    _, seen = await visit(request)
    await pull_desk(request).refresh(seen)
    async with acting(request) as (act, repository):
        body, commit = fields.text("body") or "", fields.text("commit_id")
        review = await reviews.submit(act, repository, number, verdict, body, commit=commit)
    return ok(request, review_json(act.links, repository, number, review))


async def show(request: Request) -> Response:
    """Answer with a review."""
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
        review = await reviews.find(act, thread, identity(request, "review"))
    return ok(request, review_json(act.links, repository, thread.number, review))


async def dismiss(request: Request) -> Response:
    """Dismiss a review; as at GitHub, only with a message."""
    (await Fields.read(request, "PullRequestReview")).required("message")
    number = identity(request)
    async with acting(request) as (act, repository):
        review = await reviews.dismiss(act, repository, number, identity(request, "review"))
    return ok(request, review_json(act.links, repository, number, review))


ROUTES = [
    Route(PULL + "/reviews", index),
    Route(PULL + "/reviews", create, methods=["POST"]),
    Route(PULL + "/reviews/{review:int}", show),
    Route(PULL + "/reviews/{review:int}/dismissals", dismiss, methods=["PUT"]),
]
