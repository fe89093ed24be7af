"""
The pages on which somebody registers an App from a manifest, and lets it into repositories.

The manifest arrives by a form of another site. It only leads to a question here; nothing is made before a form of
this page is sent.
"""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.trackers.embedded import apps, installations, people, repositories
from bot.trackers.embedded.apps import Manifest
from bot.trackers.embedded.faults import RefusedError, forbidden, invalid, unprocessable_message
from bot.trackers.embedded.installations import Choice
from bot.trackers.embedded.pages.forms import read_form
from bot.trackers.embedded.pages.render import page
from bot.trackers.embedded.pages.viewer import desk, viewer
from bot.trackers.embedded.rest.fields import Fields
from bot.trackers.embedded.values import Account, AccountKind, Repository

SEE_OTHER = 303
UNASKED = frozenset({"installation", "installation_repositories"})
"""Events that every App is told, and none can ask for."""


def manifest_of(text: str) -> Manifest:
    """Read a manifest. Raises ``RefusedError`` (422) that names what is wrong."""
    try:
        document = json.loads(text)
    except ValueError:
        raise unprocessable_message("The manifest is not JSON.") from None
    if not isinstance(document, dict):
        raise unprocessable_message("The manifest is not a JSON object.")
    fields = Fields("Manifest", document)
    hook = fields.part("hook_attributes") if "hook_attributes" in document else None
    addresses = {
        "url": fields.required("url"),
        "redirect_url": fields.required("redirect_url"),
        "setup_url": fields.text("setup_url"),
        "hook_attributes": None if hook is None else hook.required("url"),
    }
    for name, address in addresses.items():
        if address is not None and urlsplit(address).scheme not in {"http", "https"}:
            raise invalid("Manifest", name)
    events = tuple(fields.names("default_events") or ())
    if events and hook is None:
        raise unprocessable_message("Default events are not supported without hook_attributes.")
    if unasked := UNASKED & set(events):
        raise unprocessable_message(f"Default events are not supported: {', '.join(sorted(unasked))}")
    return Manifest(
        name=fields.text("name") or "",
        url=fields.required("url"),
        description=fields.text("description"),
        permissions=fields.levels("default_permissions") or {},
        events=events,
        hook_url=addresses["hook_attributes"],
        redirect_url=addresses["redirect_url"],
        setup_url=addresses["setup_url"],
    )


async def _owner(request: Request, account: Account) -> Account:
    """Return who is to own the App. Raises ``RefusedError`` (404, 403)."""
    login = request.path_params.get("organization")
    if login is None:
        return account
    async with desk(request).store.transaction() as tx:
        found = await people.find(tx, login)
    if found.kind is not AccountKind.ORGANIZATION:
        raise forbidden(f"{login} is not an organization.")
    return found


async def _ask(request: Request, text: str, state: str, *, name: str, reason: str = "", status: int = 200) -> Response:
    manifest = manifest_of(text)
    owner = await _owner(request, await viewer(request))
    return await page(
        request,
        "manifest.html",
        status=status,
        leads_to=[manifest.redirect_url or ""],
        manifest=manifest,
        text=text,
        state=state,
        name=name,
        owner=owner,
        reason=reason,
    )


async def ask_for_app(request: Request) -> Response:
    """Show what a manifest asks for, and a button that makes the App."""
    form = await read_form(request)
    text = form.one("manifest") or request.query_params.get("manifest", "")
    state = request.query_params.get("state", "")
    return await _ask(request, text, state, name=manifest_of(text).name)


async def make_app(request: Request) -> Response:
    """Make the App, and lead back to who asked with the code for its keys."""
    form = await read_form(request)
    text, state, name = form.one("manifest"), form.one("state"), form.one("name").strip()
    manifest = manifest_of(text)
    owner = await _owner(request, await viewer(request))
    named = replace(manifest, name=name)
    try:
        async with desk(request).act(owner) as act:
            _, code = await apps.register(act, owner, named)
    except RefusedError as refusal:
        reasons = [detail.get("message", "") for detail in refusal.details if not isinstance(detail, str)]
        reason = next(filter(None, reasons), "It must have 1 to 34 characters, and a letter or a digit.")
        return await _ask(request, text, state, name=name, reason=reason, status=422)
    return _leave(manifest.redirect_url or "/", code=code, state=state)


async def choose_repositories(request: Request) -> Response:
    """Show where an App can be let in."""
    account = await viewer(request)
    async with desk(request).look(account) as act:
        app = await apps.find_by_slug(act.tx, request.path_params["slug"])
        found = await repositories.visible(act)
    owners: dict[str, list[Repository]] = {each.owner.login: [] for each in found}
    for each in found:
        owners[each.owner.login].append(each)
    leads_to = [app.setup_url] if app.setup_url else []
    return await page(request, "install.html", app=app, owners=owners, leads_to=leads_to)


async def install(request: Request) -> Response:
    """Let an App in, and lead to its setup page."""
    form = await read_form(request)
    login = form.one("owner")
    async with desk(request).store.transaction() as tx:
        owner = await people.find(tx, login)
    async with desk(request).act(owner) as act:
        app = await apps.find_by_slug(act.tx, request.path_params["slug"])
        names = [name for name in form.all("repository") if name.partition("/")[0] == login]
        ids = [(await repositories.find_by_full_name(act, name)).id for name in names]
        if form.one("selection") == "selected" and not ids:
            raise invalid("Installation", "repository", "custom", "Choose at least one repository.")
        chosen = None if form.one("selection") == "all" else ids
        made = await installations.install(act, app, login, Choice(repositories=chosen))
    if app.setup_url is None:
        return RedirectResponse("/", SEE_OTHER)
    return _leave(app.setup_url, installation_id=str(made.id), setup_action="install")


def _leave(address: str, **query: str) -> Response:
    joint = "&" if urlsplit(address).query else "?"
    return RedirectResponse(f"{address}{joint}{urlencode(query)}", SEE_OTHER)
