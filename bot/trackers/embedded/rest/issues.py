"""Issues, their labels and their history."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import assignees, history, labels, threads
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.announce import find_thread
from bot.trackers.embedded.rest.answers import created, listing, nothing, ok, page_of
from bot.trackers.embedded.rest.door import acting, identity, looking
from bot.trackers.embedded.rest.fields import Fields, descending, option, since
from bot.trackers.embedded.shapes.issues import event_json, issue_json
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.shapes.repositories import label_json
from bot.trackers.embedded.threads import Filter
from bot.trackers.embedded.values import HistoryEntry, Listed, Repository, Thread

STATES = ("open", "closed", "all")


async def index(request: Request) -> Response:
    """Answer with issues and pull requests."""
    page = page_of(request)
    wanted = Filter(
        state=option(request, "state", STATES, "open"),
        labels=tuple(name for name in request.query_params.get("labels", "").split(",") if name),
        since=since(request),
        sort=option(request, "sort", ("created", "updated", "comments"), "created"),
        descending=descending(request, default=True),
    )
    async with looking(request) as (act, repository):
        found = await threads.threads_of(act, repository, wanted, page.window)
    return listing(request, [issue_json(act.links, repository, each) for each in found.entries], page, found.total)


async def create(request: Request) -> Response:
    """Open an issue."""
    fields = await Fields.read(request, "Issue")
    title, body, names = fields.required("title"), fields.text("body"), fields.names("labels") or []
    async with acting(request) as (act, repository):
        thread = await threads.open_issue(act, repository, title=title, body=body, labels=names)
    return created(issue_json(act.links, repository, thread))


async def show(request: Request) -> Response:
    """Answer with an issue."""
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
    return ok(request, issue_json(act.links, repository, thread))


async def update(request: Request) -> Response:
    """Change an issue: texts first, then labels, then the state."""
    fields = await Fields.read(request, "Issue")
    number = identity(request)
    names = fields.names("labels")
    async with acting(request) as (act, repository):
        await threads.edit(act, repository, number, title=fields.text("title"), body=fields.cleared("body"))
        if names is not None:
            await labels.replace(act, repository, number, names)
        await change_state(act, repository, number, fields)
        thread = await find_thread(act, repository, number)
    return ok(request, issue_json(act.links, repository, thread))


async def change_state(act: Act, repository: Repository, number: int, fields: Fields) -> None:
    """Open or close a thread as the fields ask."""
    state = fields.choice("state", ("open", "closed"))
    if state == "closed":
        reason = fields.choice("state_reason", threads.REASONS) or "completed"
        await threads.close(act, repository, number, reason=reason)
    elif state == "open":
        await threads.reopen(act, repository, number)


async def lock(request: Request) -> Response:
    """Lock an issue, or unlock it."""
    async with acting(request) as (act, repository):
        await threads.lock(act, repository, identity(request), locked=request.method == "PUT")
    return nothing()


async def assign(request: Request) -> Response:
    """Assign accounts to an issue, or take them off."""
    logins = (await Fields.read(request, "Issue")).names("assignees") or []
    adds = request.method == "POST"
    change = assignees.assign if adds else assignees.unassign
    async with acting(request) as (act, repository):
        thread = await change(act, repository, identity(request), logins)
    shown = issue_json(act.links, repository, thread)
    return created(shown) if adds else ok(request, shown)


async def list_labels(request: Request) -> Response:
    """Answer with the labels of an issue."""
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
    page = page_of(request)
    shown = thread.labels[page.window.offset :][: page.size]
    entries = [label_json(act.links, repository, label) for label in shown]
    return listing(request, entries, page, len(thread.labels))


async def add_labels(request: Request) -> Response:
    """Put labels on an issue."""
    fields = await Fields.read(request, "Label", bare="labels")
    names = fields.names("labels") or []
    async with acting(request) as (act, repository):
        thread = await labels.add(act, repository, identity(request), names)
    return ok(request, _labels(act, repository, thread))


async def remove_label(request: Request) -> Response:
    """Take a label off an issue."""
    async with acting(request) as (act, repository):
        thread = await labels.remove(act, repository, identity(request), request.path_params["name"])
    return ok(request, _labels(act, repository, thread))


def _labels(act: Act, repository: Repository, thread: Thread) -> list[Json]:
    return [label_json(act.links, repository, label) for label in thread.labels]


async def list_events(request: Request) -> Response:
    """Answer with the history of an issue, oldest first."""
    page = page_of(request)
    async with looking(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
        found = await history.of_thread(act, thread, page.window)
    return listing(request, [event_json(act.links, repository, each) for each in found.entries], page, found.total)


async def list_all_events(request: Request) -> Response:
    """Answer with the history of all issues, newest first, each entry with its issue."""
    page = page_of(request)
    async with looking(request) as (act, repository):
        found = await history.of_repository(act, repository, page.window)
        entries = await _with_issues(act, repository, found)
    return listing(request, entries, page, found.total)


async def _with_issues(act: Act, repository: Repository, found: Listed[HistoryEntry]) -> list[Json]:
    known: dict[int, Json] = {}
    for entry in found.entries:
        if entry.number not in known:
            known[entry.number] = issue_json(act.links, repository, await find_thread(act, repository, entry.number))
    return [{**event_json(act.links, repository, each), "issue": known[each.number]} for each in found.entries]


ISSUES = "/repos/{owner}/{repo}/issues"
ISSUE = ISSUES + "/{number:int}"

ROUTES = [
    Route(ISSUES, index),
    Route(ISSUES, create, methods=["POST"]),
    Route(ISSUES + "/events", list_all_events),
    Route(ISSUE, show),
    Route(ISSUE, update, methods=["PATCH"]),
    Route(ISSUE + "/lock", lock, methods=["PUT", "DELETE"]),
    Route(ISSUE + "/labels", list_labels),
    Route(ISSUE + "/labels", add_labels, methods=["POST"]),
    Route(ISSUE + "/labels/{name:path}", remove_label, methods=["DELETE"]),
    Route(ISSUE + "/assignees", assign, methods=["POST", "DELETE"]),
    Route(ISSUE + "/events", list_events),
]
