"""The caller, repositories, permissions and labels of repositories."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import labels, people, repositories
from bot.trackers.embedded.rest.answers import created, listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, caller, desk, looking, looking_by_id
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.shapes.people import full_user_json
from bot.trackers.embedded.shapes.repositories import full_repository_json, label_json, permission_json
from bot.trackers.embedded.values import Role


async def who_am_i(request: Request) -> Response:
    """Answer with the account of the token."""
    account = await caller(request)
    return ok(request, full_user_json(desk(request).links, account))


async def show(request: Request) -> Response:
    """Answer with a repository."""
    async with looking(request) as (act, repository):
        role = await repositories.role_of(act, repository, act.actor)
    return ok(request, full_repository_json(act.links, repository, role))


async def show_user(request: Request) -> Response:
    """Answer with an account."""
    account = await caller(request)
    async with desk(request).look(account) as act:
        found = await people.find(act.tx, request.path_params["login"])
    return ok(request, full_user_json(desk(request).links, found))


async def show_by_id(request: Request) -> Response:
    """Answer with the repository of an id, which outlives its name."""
    async with looking_by_id(request) as (act, repository):
        role = await repositories.role_of(act, repository, act.actor)
    return ok(request, full_repository_json(act.links, repository, role))


async def permission(request: Request) -> Response:
    """Answer with what an account may do; only who may write may ask."""
    async with looking(request) as (act, repository):
        await repositories.require(act, repository, Role.WRITE)
        account = await people.find(act.tx, request.path_params["login"])
        role = await repositories.role_of(act, repository, account)
    return ok(request, permission_json(act.links, account, role))


async def list_labels(request: Request) -> Response:
    """Answer with the labels of a repository."""
    page = page_of(request)
    async with looking(request) as (act, repository):
        found = await labels.labels_of(act, repository, page.window)
    return listing(request, [label_json(act.links, repository, each) for each in found.entries], page, found.total)


async def create_label(request: Request) -> Response:
    """Add a label to a repository."""
    fields = await Fields.read(request, "Label")
    color = (fields.text("color") or labels.DEFAULT_COLOR).removeprefix("#")
    name, description = fields.required("name"), fields.text("description")
    async with acting(request) as (act, repository):
        label = await labels.create(act, repository, name, color=color, description=description)
    return created(label_json(act.links, repository, label))


async def show_label(request: Request) -> Response:
    """Answer with a label of a repository."""
    async with looking(request) as (act, repository):
        label = await labels.find(act, repository, request.path_params["name"])
    return ok(request, label_json(act.links, repository, label))


REPO = "/repos/{owner}/{repo}"

ROUTES = [
    Route("/user", who_am_i),
    Route("/users/{login}", show_user),
    Route("/repositories/{id:int}", show_by_id),
    Route(REPO, show),
    Route(REPO + "/collaborators/{login}/permission", permission),
    Route(REPO + "/labels", list_labels),
    Route(REPO + "/labels", create_label, methods=["POST"]),
    Route(REPO + "/labels/{name:path}", show_label),
]
