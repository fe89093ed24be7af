"""Pages to read: repositories, their threads, a thread, and the number that tells that a thread has changed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from bot.trackers.embedded import labels as labelling
from bot.trackers.embedded import repositories, threads
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.pages.checks import checks_of
from bot.trackers.embedded.pages.diffs import shown
from bot.trackers.embedded.pages.render import page
from bot.trackers.embedded.pages.timeline import timeline
from bot.trackers.embedded.pages.viewer import desk, pull_desk, viewer
from bot.trackers.embedded.rest.door import identity
from bot.trackers.embedded.threads import Filter
from bot.trackers.embedded.values import EVERYTHING, Account, Repository, Role

STATES = ("open", "closed", "all")


async def home(request: Request) -> Response:
    """Show the repositories."""
    async with desk(request).look(await viewer(request)) as act:
        found = await repositories.visible(act)
    return await page(request, "home.html", repositories=found)


async def here(request: Request, account: Account) -> Repository:
    """Return the repository of the path. Raises ``RefusedError`` (404)."""
    async with desk(request).look(account) as act:
        return await repositories.find(act, request.path_params["owner"], request.path_params["repo"])


async def thread_list(request: Request) -> Response:
    """Show issues and pull requests, newest first."""
    account = await viewer(request)
    repository = await here(request, account)
    state = request.query_params.get("state", "open")
    name = request.query_params.get("label", "")
    wanted = Filter(state=state if state in STATES else "open", labels=(name,) if name else ())
    async with desk(request).look(account) as act:
        found = (await threads.threads_of(act, repository, wanted, EVERYTHING)).entries
    return await page(
        request,
        "threads.html",
        repository=repository,
        threads=found,
        state=wanted.state,
        label=name,
        labels=[label for thread in found for label in thread.labels],
    )


async def new_issue(request: Request) -> Response:
    """Show the form for a new issue."""
    account = await viewer(request)
    repository = await here(request, account)
    async with desk(request).look(account) as act:
        role = await repositories.role_of(act, repository, account)
        known = (await labelling.labels_of(act, repository, EVERYTHING)).entries
    offered = known if role.allows(Role.TRIAGE) else ()
    return await page(request, "new.html", repository=repository, offered=offered, labels=offered)


async def show_thread(request: Request) -> Response:
    """Show a thread: what was said and done, what changes, and what the viewer may do."""
    account = await viewer(request)
    repository = await here(request, account)
    await pull_desk(request).refresh(repository)
    async with desk(request).look(account) as act:
        thread = await find_thread(act, repository, identity(request))
        items = await timeline(act, thread)
        pull = await find_pull(act, thread) if thread.pull else None
        role = await repositories.role_of(act, repository, account)
        known = (await labelling.labels_of(act, repository, EVERYTHING)).entries
        said = () if pull is None else await checks_of(act, repository, pull.head_sha)
    address = f"/{repository.full_name}/{'pull' if thread.pull else 'issues'}/{thread.number}"
    if request.url.path.lower() != address.lower():
        return RedirectResponse(address)
    files = () if pull is None else shown(await pull_desk(request).files(repository, pull))
    own = account.id == thread.author.id
    return await page(
        request,
        "thread.html",
        repository=repository,
        thread=thread,
        items=items,
        pull=pull,
        files=files,
        checks=said,
        offered=[label for label in known if label not in thread.labels],
        labels=[*thread.labels, *known],
        may_label=role.allows(Role.TRIAGE),
        may_close=own or role.allows(Role.TRIAGE),
        may_write=role.allows(Role.WRITE),
        own=own,
    )


async def version(request: Request) -> Response:
    """Answer with a number that grows whenever the thread's page would show something new."""
    account = await viewer(request)
    repository = await here(request, account)
    await pull_desk(request).refresh(repository)
    async with desk(request).look(account) as act:
        thread = await find_thread(act, repository, identity(request))
    return PlainTextResponse(str(thread.version), headers={"Cache-Control": "no-store"})
