"""Apps as they see themselves: who they are, where they are installed, their tokens and their webhook."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import access, apps, hooks, installations, people, repositories
from bot.trackers.embedded.access import Subset
from bot.trackers.embedded.courier import headers
from bot.trackers.embedded.faults import not_found
from bot.trackers.embedded.rest.answers import accepted, created, link, links, listing, ok, page_of
from bot.trackers.embedded.rest.door import calling_app, calling_installation, desk, identity
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.shapes.apps import app_json, conversion_json, hook_config_json, installation_json
from bot.trackers.embedded.shapes.hooks import delivery_json, full_delivery_json
from bot.trackers.embedded.shapes.repositories import full_repository_json
from bot.trackers.embedded.shapes.tokens import token_json
from bot.trackers.embedded.values import Role


async def convert(request: Request) -> Response:
    """Exchange the code of a manifest, once, for the keys of its App; nobody has to be known for it."""
    opened = desk(request)
    pem = apps.new_key()
    async with opened.store.transaction() as tx:
        app, keys = await apps.exchange(tx, request.path_params["code"], pem, now=opened.clock.now())
    return created(conversion_json(opened.links, app, keys))


async def show(request: Request) -> Response:
    """Answer with the App itself."""
    app = await calling_app(request)
    return ok(request, app_json(desk(request).links, app))


async def list_installations(request: Request) -> Response:
    """Answer with the installations of the App."""
    app, page = await calling_app(request), page_of(request)
    async with desk(request).store.transaction() as tx:
        found = await installations.of_app(tx, app, page.window)
    entries = [installation_json(desk(request).links, each) for each in found.entries]
    return listing(request, entries, page, found.total)


async def show_installation(request: Request) -> Response:
    """Answer with an installation of the App."""
    app = await calling_app(request)
    async with desk(request).store.transaction() as tx:
        found = await installations.find(tx, identity(request, "installation"))
    if found.app_id != app.id:
        raise not_found()
    return ok(request, installation_json(desk(request).links, found))


async def installation_of_repository(request: Request) -> Response:
    """Answer with the installation that covers a repository."""
    app = await calling_app(request)
    async with desk(request).look(app.bot) as act:
        repository = await repositories.find(act, request.path_params["owner"], request.path_params["repo"])
        found = await installations.of_repository(act.tx, app, repository.id)
    return ok(request, installation_json(desk(request).links, found))


async def installation_of_account(request: Request) -> Response:
    """Answer with the App's installation for a person or an organisation."""
    app = await calling_app(request)
    async with desk(request).store.transaction() as tx:
        account = await people.find(tx, request.path_params["login"])
        found = await installations.of_account(tx, app, account.login)
    return ok(request, installation_json(desk(request).links, found))


async def issue_token(request: Request) -> Response:
    """Make a token for an installation, for all that it has or for a part of it."""
    app = await calling_app(request)
    fields = await Fields.read(request, "Token")
    wanted = Subset(
        permissions=fields.levels("permissions"),
        names=fields.names("repositories"),
        ids=fields.numbers("repository_ids"),
    )
    opened = desk(request)
    async with opened.store.transaction() as tx:
        installation = await installations.find(tx, identity(request, "installation"))
        if installation.app_id != app.id:
            raise not_found()
        token, granted = await access.issue(tx, installation, wanted, now=opened.clock.now())
        chosen = await access.repositories_of(tx, granted)
    return created(token_json(opened.links, token, granted, chosen))


async def list_repositories(request: Request) -> Response:
    """Answer with the repositories that a token of the App reaches."""
    granted, page = await calling_installation(request), page_of(request)
    async with desk(request).store.transaction() as tx:
        found = await access.repositories_of(tx, granted)
    shown = found[page.window.offset :][: page.size]
    entries = [full_repository_json(desk(request).links, each, Role.WRITE) for each in shown]
    selection = "all" if granted.repositories is None else "selected"
    document = {"total_count": len(found), "repository_selection": selection, "repositories": entries}
    return ok(request, document, links(request, page, len(found)))


async def show_hook(request: Request) -> Response:
    """Answer with where the App's events go."""
    app = await calling_app(request)
    async with desk(request).store.transaction() as tx:
        hook = await apps.hook_of(tx, app)
    return ok(request, hook_config_json(hook))


async def update_hook(request: Request) -> Response:
    """Change where the App's events go, or by which secret they are signed."""
    app = await calling_app(request)
    fields = await Fields.read(request, "Hook")
    async with desk(request).act(app.bot) as act:
        hook = await apps.change_hook(act, app, url=fields.text("url"), secret=fields.text("secret"))
    return ok(request, hook_config_json(hook))


async def list_deliveries(request: Request) -> Response:
    """Answer with attempted deliveries, newest first; the next page begins at a cursor."""
    app = await calling_app(request)
    size, cursor = page_of(request).size, request.query_params.get("cursor", "")
    before = int(cursor[:18]) if cursor.isascii() and cursor.isdigit() else None
    async with desk(request).look(app.bot) as act:
        found = await hooks.deliveries(act, await apps.hook_of(act.tx, app), before=before, limit=size + 1)
    shown = found[:size]
    more = {"Link": link(request, "next", cursor=shown[-1].id)} if len(found) > size else None
    return ok(request, [delivery_json(each) for each in shown], more)


async def show_delivery(request: Request) -> Response:
    """Answer with a delivery, what was sent and what came back."""
    app = await calling_app(request)
    async with desk(request).look(app.bot) as act:
        delivery = await hooks.delivery(act, await apps.hook_of(act.tx, app), identity(request, "delivery"))
    return ok(request, full_delivery_json(delivery, headers(delivery)))


async def redeliver(request: Request) -> Response:
    """Send a delivery again."""
    app = await calling_app(request)
    async with desk(request).act(app.bot) as act:
        await hooks.redeliver(act, await apps.hook_of(act.tx, app), identity(request, "delivery"))
    return accepted()


INSTALLATION = "/app/installations/{installation:int}"
DELIVERY = "/app/hook/deliveries/{delivery:int}"

ROUTES = [
    Route("/app-manifests/{code}/conversions", convert, methods=["POST"]),
    Route("/app", show),
    Route("/app/installations", list_installations),
    Route(INSTALLATION, show_installation),
    Route(INSTALLATION + "/access_tokens", issue_token, methods=["POST"]),
    Route("/repos/{owner}/{repo}/installation", installation_of_repository),
    Route("/users/{login}/installation", installation_of_account),
    Route("/orgs/{login}/installation", installation_of_account),
    Route("/installation/repositories", list_repositories),
    Route("/app/hook/config", show_hook),
    Route("/app/hook/config", update_hook, methods=["PATCH"]),
    Route("/app/hook/deliveries", list_deliveries),
    Route(DELIVERY, show_delivery),
    Route(DELIVERY + "/attempts", redeliver, methods=["POST"]),
]
