"""Webhooks and their deliveries. Who is not an administrator finds none."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import hooks
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.courier import headers
from bot.trackers.embedded.faults import not_found
from bot.trackers.embedded.repositories import role_of
from bot.trackers.embedded.rest.answers import accepted, created, link, listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, identity, looking
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.shapes.hooks import delivery_json, full_delivery_json, hook_json
from bot.trackers.embedded.values import Hook, Repository, Role


async def _administer(act: Act, repository: Repository) -> None:
    if not (await role_of(act, repository, act.actor)).allows(Role.ADMIN):
        raise not_found()


async def _hook(act: Act, repository: Repository, request: Request) -> Hook:
    await _administer(act, repository)
    return await hooks.find(act, repository, identity(request, "hook"))


async def index(request: Request) -> Response:
    """Answer with the webhooks of a repository."""
    page = page_of(request)
    async with looking(request) as (act, repository):
        await _administer(act, repository)
        found = await hooks.hooks_of(act, repository, page.window)
    return listing(request, [hook_json(act.links, repository, each) for each in found.entries], page, found.total)


async def create(request: Request) -> Response:
    """Add a webhook."""
    fields = await Fields.read(request, "Hook")
    config = fields.part("config")
    url, secret = config.required("url"), config.text("secret") or ""
    events, active = fields.names("events") or ["push"], fields.flag("active", default=True)
    async with acting(request) as (act, repository):
        await _administer(act, repository)
        hook = await hooks.create(act, repository, url=url, secret=secret, events=events, active=active)
    return created(hook_json(act.links, repository, hook))


async def show(request: Request) -> Response:
    """Answer with a webhook."""
    async with looking(request) as (act, repository):
        hook = await _hook(act, repository, request)
    return ok(request, hook_json(act.links, repository, hook))


async def update(request: Request) -> Response:
    """Switch a webhook on or off."""
    fields = await Fields.read(request, "Hook")
    async with acting(request) as (act, repository):
        hook = await _hook(act, repository, request)
        active = fields.flag("active", default=hook.active)
        hook = await hooks.set_active(act, repository, hook.id, active=active)
    return ok(request, hook_json(act.links, repository, hook))


async def list_deliveries(request: Request) -> Response:
    """Answer with attempted deliveries, newest first; the next page begins at a cursor."""
    size = page_of(request).size
    cursor = request.query_params.get("cursor", "")
    before = int(cursor[:18]) if cursor.isascii() and cursor.isdigit() else None
    async with looking(request) as (act, repository):
        hook = await _hook(act, repository, request)
        found = await hooks.deliveries(act, hook, before=before, limit=size + 1)
    shown = found[:size]
    more = {"Link": link(request, "next", cursor=shown[-1].id)} if len(found) > size else None
    return ok(request, [delivery_json(each) for each in shown], more)


async def show_delivery(request: Request) -> Response:
    """Answer with a delivery, what was sent and what came back."""
    async with looking(request) as (act, repository):
        hook = await _hook(act, repository, request)
        delivery = await hooks.delivery(act, hook, identity(request, "delivery"))
    return ok(request, full_delivery_json(delivery, headers(delivery)))


async def redeliver(request: Request) -> Response:
    """Send a delivery again."""
    async with acting(request) as (act, repository):
        hook = await _hook(act, repository, request)
        await hooks.redeliver(act, hook, identity(request, "delivery"))
    return accepted()


HOOKS = "/repos/{owner}/{repo}/hooks"
HOOK = HOOKS + "/{hook:int}"
DELIVERY = HOOK + "/deliveries/{delivery:int}"

ROUTES = [
    Route(HOOKS, index),
    Route(HOOKS, create, methods=["POST"]),
    Route(HOOK, show),
    Route(HOOK, update, methods=["PATCH"]),
    Route(HOOK + "/deliveries", list_deliveries),
    Route(DELIVERY, show_delivery),
    Route(DELIVERY + "/attempts", redeliver, methods=["POST"]),
]
