"""Comments, and reactions to comments and issues."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import comments, reactions
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_thread
from bot.trackers.embedded.comments import CommentFilter
from bot.trackers.embedded.reactions import Subject
from bot.trackers.embedded.rest.answers import created, listing, nothing, ok, page_of
from bot.trackers.embedded.rest.door import acting, identity, looking
from bot.trackers.embedded.rest.fields import Fields, descending, option, since
from bot.trackers.embedded.rest.issues import ISSUE, ISSUES
from bot.trackers.embedded.shapes.issues import comment_json, reaction_json
from bot.trackers.embedded.values import Repository


async def of_issue(request: Request) -> Response:
    """Answer with the comments of an issue, oldest first."""
    page, moment = page_of(request), since(request)
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
        found = await comments.of_thread(act, thread, page.window, since=moment)
    entries = [comment_json(act.links, repository, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def of_repository(request: Request) -> Response:
    """Answer with the comments of all issues."""
    page = page_of(request)
    wanted = CommentFilter(
        since=since(request),
        sort=option(request, "sort", ("created", "updated"), "created"),
        # As documented, the direction counts only with a sort.
        descending="sort" in request.query_params and descending(request, default=False),
    )
    async with looking(request) as (act, repository):
        found = await comments.of_repository(act, repository, wanted, page.window)
    entries = [comment_json(act.links, repository, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def create(request: Request) -> Response:
    """Write a comment."""
    body = (await Fields.read(request, "IssueComment")).required("body")
    async with acting(request) as (act, repository):
        comment = await comments.add(act, repository, identity(request), body)
    return created(comment_json(act.links, repository, comment))


async def show(request: Request) -> Response:
    """Answer with a comment."""
    async with looking(request) as (act, repository):
        comment = await comments.find(act, repository, identity(request, "comment"))
    return ok(request, comment_json(act.links, repository, comment))


async def update(request: Request) -> Response:
    """Replace the text of a comment."""
    body = (await Fields.read(request, "IssueComment")).required("body")
    async with acting(request) as (act, repository):
        comment = await comments.edit(act, repository, identity(request, "comment"), body)
    return ok(request, comment_json(act.links, repository, comment))


async def delete(request: Request) -> Response:
    """Delete a comment."""
    async with acting(request) as (act, repository):
        await comments.delete(act, repository, identity(request, "comment"))
    return nothing()


async def list_reactions(request: Request) -> Response:
    """Answer with the reactions to an issue or comment."""
    page = page_of(request)
    async with looking(request) as (act, repository):
        subject = await _subject(act, repository, request)
        found = await reactions.of_subject(act, subject, request.query_params.get("content"), page.window)
    return listing(request, [reaction_json(act.links, each) for each in found.entries], page, found.total)


async def react(request: Request) -> Response:
    """React; a reaction that is there already is answered as it is."""
    content = (await Fields.read(request, "Reaction")).required("content")
    async with acting(request) as (act, repository):
        subject = await _subject(act, repository, request)
        reaction, new = await reactions.add(act, repository, subject, content)
    shape = reaction_json(act.links, reaction)
    return created(shape) if new else ok(request, shape)


async def unreact(request: Request) -> Response:
    """Take a reaction back."""
    async with acting(request) as (act, repository):
        subject = await _subject(act, repository, request)
        await reactions.remove(act, repository, subject, identity(request, "reaction"))
    return nothing()


async def _subject(act: Act, repository: Repository, request: Request) -> Subject:
    if "comment" in request.path_params:
        return await comments.find(act, repository, identity(request, "comment"))
    return await find_thread(act, repository, identity(request))


COMMENT = ISSUES + "/comments/{comment:int}"

ROUTES = [
    Route(ISSUES + "/comments", of_repository),
    Route(ISSUE + "/comments", of_issue),
    Route(ISSUE + "/comments", create, methods=["POST"]),
    Route(COMMENT, show),
    Route(COMMENT, update, methods=["PATCH"]),
    Route(COMMENT, delete, methods=["DELETE"]),
    *[
        route
        for subject in (ISSUE, COMMENT)
        for route in (
            Route(subject + "/reactions", list_reactions),
            Route(subject + "/reactions", react, methods=["POST"]),
            Route(subject + "/reactions/{reaction:int}", unreact, methods=["DELETE"]),
        )
    ],
]
