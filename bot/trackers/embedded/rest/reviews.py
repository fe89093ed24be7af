"""Reviews of pull requests."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import lines, reviews
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.faults import unprocessable
from bot.trackers.embedded.rest.answers import created, listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, identity, looking, pull_desk, visit
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.rest.pulls import PULL
from bot.trackers.embedded.shapes.lines import line_json
from bot.trackers.embedded.shapes.pulls import review_json
from bot.trackers.embedded.values import Window


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
    verdict, number = fields.text("event") or "", identity(request)
    _, seen = await visit(request)
    await pull_desk(request).refresh(seen)
    async with acting(request) as (act, repository):
        body, commit = fields.text("body") or "", fields.text("commit_id")
        remarks = [_remark(part) for part in fields.parts("comments")]
        review = await reviews.submit(act, repository, number, verdict, body, commit=commit, remarks=remarks)
    return ok(request, review_json(act.links, repository, number, review))


async def show(request: Request) -> Response:
    """Answer with a review."""
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
        review = await reviews.find(act, thread, identity(request, "review"))
    return ok(request, review_json(act.links, repository, thread.number, review))


async def dismiss(request: Request) -> Response:
    """Dismiss a review; as at GitHub, only with a message."""
    if (await Fields.read(request, "PullRequestReview")).text("message") is None:
        raise unprocessable('"message" was not supplied.')
    number = identity(request)
    async with acting(request) as (act, repository):
        review = await reviews.dismiss(act, repository, number, identity(request, "review"))
    return ok(request, review_json(act.links, repository, number, review))


async def list_lines(request: Request) -> Response:
    """Answer with the comments on lines of one review."""
    page, number = page_of(request), identity(request)
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, number)
        review = await reviews.find(act, thread, identity(request, "review"))
        found = await lines.of_review(act, review, page.window)
    entries = [line_json(act.links, repository, number, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def list_all_lines(request: Request) -> Response:
    """Answer with the comments on lines of a pull request."""
    page, number = page_of(request), identity(request)
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, number)
        await find_pull(act, thread)
        found = await lines.of_thread(act, thread, page.window)
    return listing(
        request, [line_json(act.links, repository, number, each) for each in found.entries], page, found.total
    )


async def comment_on_line(request: Request) -> Response:
    """Comment on one line: at GitHub that is a review of its own."""
    fields = await Fields.read(request, "PullRequestReviewComment")
    commit, remark, number = fields.required("commit_id"), _remark(fields), identity(request)
    async with acting(request) as (act, repository):
        review = await reviews.submit(act, repository, number, "COMMENT", commit=commit, remarks=[remark])
        found = await lines.of_review(act, review, Window(limit=1, offset=0))
    return created(line_json(act.links, repository, number, found.entries[0]))


def _remark(fields: Fields) -> lines.Remark:
    return lines.Remark(path=fields.required("path"), line=fields.number("line"), body=fields.required("body"))


ROUTES = [
    Route(PULL + "/reviews", index),
    Route(PULL + "/reviews", create, methods=["POST"]),
    Route(PULL + "/reviews/{review:int}", show),
    Route(PULL + "/reviews/{review:int}/comments", list_lines),
    Route(PULL + "/comments", list_all_lines),
    Route(PULL + "/comments", comment_on_line, methods=["POST"]),
    Route(PULL + "/reviews/{review:int}/dismissals", dismiss, methods=["PUT"]),
]
