"""The pages of ``trackside init``: each step of the wizard as a page, without any script."""

from __future__ import annotations

import base64
import functools
import hashlib
import secrets
from importlib import resources
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.errors import ConfigError, TrackerError
from bot.host.sections import GITHUB
from bot.setup.finding import Severity
from bot.setup.manifest import MOST, FieldError, wishes_of
from bot.setup.wizard import Wizard

STEPS = ("Describe", "Create", "Install", "Choose", "Check")
SEE_OTHER = 303


@functools.cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@functools.cache
def _style() -> Markup:
    text = resources.files(__package__).joinpath("templates", "style.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - a file of this package, as it is


@functools.cache
def _style_digest() -> str:
    return base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()


def page(template: str, *, step: int, status: int = 200, leads_to: str = "", **values: object) -> HTMLResponse:
    """Answer with the page of a step; ``leads_to`` is the one other site that its form may be sent to."""
    text = _templates().get_template(template)
    body = text.render(step=step, steps=STEPS, style=_style(), **values)
    target = urlsplit(leads_to)
    form_action = f"'self' {target.scheme}://{target.netloc}" if leads_to else "'self'"
    policy = (
        f"default-src 'none'; style-src 'sha256-{_style_digest()}'; form-action {form_action}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Cache-Control": "no-store",
    }
    return HTMLResponse(body, status_code=status, headers=headers)


def build_pages(wizard: Wizard, address: str) -> Starlette:
    """Put the pages together; ``address`` is theirs, without a slash at its end."""
    pages = Starlette(
        routes=[
            Route("/", start),
            Route("/describe", describe, methods=["POST"]),
            Route("/create", create),
            Route("/callback", callback),
            Route("/install", install),
            Route("/choose", choose),
            Route("/choose", finish, methods=["POST"]),
            Route("/done", done),
            Route("/again", again, methods=["POST"]),
            Route("/anew", anew, methods=["POST"]),
        ],
        exception_handlers={ConfigError: _problem, TrackerError: _problem, HTTPException: _nowhere},
    )
    pages.state.wizard, pages.state.address = wizard, address
    return pages


def _wizard(request: Request) -> Wizard:
    found: Wizard = request.app.state.wizard
    return found


async def _form(request: Request) -> dict[str, list[str]]:
    return parse_qs((await request.body()).decode(errors="replace"))


def _describing(values: dict[str, str], *, fault: FieldError | None = None) -> Response:
    return page(
        "describe.html",
        step=1,
        status=200 if fault is None else 422,
        values={
            "account": "personal",
            "organization": "",
            "name": f"trackside-{secrets.token_hex(3)}",
            "hook": "",
            "tracker": GITHUB,
            **values,
        },
        most=MOST,
        field="" if fault is None else fault.field,
        fault="" if fault is None else str(fault),
    )


async def start(request: Request) -> Response:
    """Show the first step, or ask what to do with what an interrupted run left."""
    wizard = _wizard(request)
    if wizard.written:
        return RedirectResponse("/done", SEE_OTHER)
    if wizard.app is not None:
        return page("resume.html", step=1, app=wizard.app)
    return _describing({} if wizard.wishes is None else wizard.wishes.form)


async def describe(request: Request) -> Response:
    """Take what the App is to be."""
    values = {name: found[0] for name, found in (await _form(request)).items()}
    try:
        _wizard(request).wishes = wishes_of(values)
    except FieldError as fault:
        return _describing(values, fault=fault)
    return RedirectResponse("/create", SEE_OTHER)


async def create(request: Request) -> Response:
    """Offer the manifest to the tracker's site."""
    wizard = _wizard(request)
    offer = wizard.offer(f"{request.app.state.address}/callback")
    return page(
        "create.html",
        step=2,
        leads_to=offer.target,
        offer=offer,
        site=urlsplit(offer.target).netloc,
        wishes=wizard.wishes,
        permissions=dict(wizard.apps.permissions),
    )


async def callback(request: Request) -> Response:
    """Take the code that the tracker's site leads back with."""
    query = request.query_params
    await _wizard(request).arrive(query.get("code", ""), query.get("state", ""))
    return RedirectResponse("/install", SEE_OTHER)


async def install(request: Request) -> Response:
    """Offer the page on which the App is let in, and go on once it was."""
    wizard = _wizard(request)
    if await wizard.repositories():
        return RedirectResponse("/choose", SEE_OTHER)
    return page("install.html", step=3, app=wizard.app)


async def choose(request: Request) -> Response:
    """Show the repositories that the App was let into."""
    return await _choosing(request)


async def _choosing(request: Request, fault: str = "", chosen: tuple[str, ...] = ()) -> Response:
    wizard = _wizard(request)
    found = await wizard.repositories()
    if not found:
        return RedirectResponse("/install", SEE_OTHER)
    return page(
        "choose.html",
        step=4,
        status=422 if fault else 200,
        app=wizard.app,
        repositories=found,
        chosen=chosen or (found[0],) if len(found) == 1 else chosen,
        asks=wizard.asks_to_replace,
        path=str(wizard.path),
        fault=fault,
    )


async def finish(request: Request) -> Response:
    """Write the configuration for the repositories that were chosen."""
    form = await _form(request)
    wizard = _wizard(request)
    there = await wizard.repositories()
    chosen = [name for name in there if name in form.get("repository", [])]
    try:
        await wizard.finish(chosen, replace="replace" in form)
    except ConfigError as fault:
        return await _choosing(request, str(fault), tuple(chosen))
    return RedirectResponse("/done", SEE_OTHER)


async def done(request: Request) -> Response:
    """Show what the doctor found; where nothing is wrong, that is the end."""
    wizard = _wizard(request)
    if not wizard.written:
        return RedirectResponse("/", SEE_OTHER)
    answer = page(
        "done.html",
        step=5,
        path=str(wizard.path),
        app=wizard.app,
        faults=[each for each in wizard.findings if each.severity is not Severity.FINE],
        fine=[each for each in wizard.findings if each.severity is Severity.FINE],
        sound=wizard.sound,
    )
    if wizard.sound:
        answer.background = BackgroundTask(wizard.finished.set)
    return answer


async def again(request: Request) -> Response:
    """Let the doctor look again."""
    await _wizard(request).examine()
    return RedirectResponse("/done", SEE_OTHER)


async def anew(request: Request) -> Response:
    """Begin anew."""
    _wizard(request).anew()
    return RedirectResponse("/", SEE_OTHER)


async def _problem(request: Request, error: Exception) -> Response:
    again = "" if isinstance(error, ConfigError) or request.method != "GET" else str(request.url.path)
    if request.url.path == "/callback" and again:
        again = f"{again}?{request.url.query}"
    return page("problem.html", step=0, status=502 if again else 409, message=str(error), again=again)


async def _nowhere(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the signature of handlers
    return page("problem.html", step=0, status=404, message="there is no such page", again="")
