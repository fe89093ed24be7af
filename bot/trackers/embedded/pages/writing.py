"""What the forms of a page do: the same functions as REST, as the chosen account; then back to the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.trackers.embedded import comments, labels, pulls, reviews, threads
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import not_found
from bot.trackers.embedded.merging import Method
from bot.trackers.embedded.pages.forms import Form, read_form
from bot.trackers.embedded.pages.reading import here
from bot.trackers.embedded.pages.viewer import desk, everyone, pull_desk, remember, viewer
from bot.trackers.embedded.rest.door import identity
from bot.trackers.embedded.values import Repository

SEE_OTHER = 303


async def choose_actor(request: Request) -> Response:
    """Let someone else be who looks and acts."""
    form = await read_form(request)
    back = form.one("back")
    # Two slashes would lead to another host.
    inside = back.startswith("/") and not back.startswith(("//", "/\\"))
    response = RedirectResponse(back if inside else "/", SEE_OTHER)
    login = form.one("login")
    if any(account.login == login for account in await everyone(request)):
        remember(response, login)
    return response


async def open_issue(request: Request) -> Response:
    """Open an issue."""
    form = await read_form(request)
    account = await viewer(request)
    repository = await here(request, account)
    async with desk(request).act(account) as act:
        title, body = form.one("title"), form.one("body") or None
        names = form.all("label")
        thread = await threads.open_issue(act, repository, title=title, body=body, labels=names)
    return RedirectResponse(f"/{repository.full_name}/issues/{thread.number}", SEE_OTHER)


async def _comment(act: Act, repository: Repository, number: int, form: Form) -> None:
    await comments.add(act, repository, number, form.one("body"))


async def _label(act: Act, repository: Repository, number: int, form: Form) -> None:
    await labels.add(act, repository, number, [name for name in form.all("name") if name.strip()])


async def _unlabel(act: Act, repository: Repository, number: int, form: Form) -> None:
    await labels.remove(act, repository, number, form.one("name"))


async def _close(act: Act, repository: Repository, number: int, form: Form) -> None:
    await threads.close(act, repository, number, reason=form.one("reason") or "completed")


async def _reopen(act: Act, repository: Repository, number: int, _: Form) -> None:
    await threads.reopen(act, repository, number)


async def _ready(act: Act, repository: Repository, number: int, _: Form) -> None:
    await pulls.ready(act, repository, number)


async def _review(act: Act, repository: Repository, number: int, form: Form) -> None:
    # On the commit that the page showed, whatever was pushed since.
    commit = form.one("commit") or None
    await reviews.submit(act, repository, number, form.one("verdict"), form.one("body"), commit=commit)


_DEEDS: Mapping[str, Callable[[Act, Repository, int, Form], Awaitable[None]]] = {
    "comment": _comment,
    "label": _label,
    "unlabel": _unlabel,
    "close": _close,
    "reopen": _reopen,
    "ready": _ready,
    "review": _review,
}


async def do(request: Request) -> Response:
    """Do what a form of a thread's page asks, and show the page again."""
    form = await read_form(request)
    account = await viewer(request)
    repository = await here(request, account)
    number, deed = identity(request), request.path_params["deed"]
    if deed == "merge":
        await pull_desk(request).merge(
            account,
            repository,
            number,
            method=Method.SQUASH if form.one("squash") else Method.MERGE,
            expected_head=form.one("commit") or None,
        )
    elif deed in _DEEDS:
        async with desk(request).act(account) as act:
            await _DEEDS[deed](act, repository, number, form)
    else:
        raise not_found()
    return RedirectResponse(f"/{repository.full_name}/issues/{number}", SEE_OTHER)
