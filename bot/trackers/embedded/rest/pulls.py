"""Pull requests."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import pulls, threads
from bot.trackers.embedded.announce import find_pull, find_thread
from bot.trackers.embedded.comparing import ChangedFile
from bot.trackers.embedded.faults import NOT_ALLOWED, RefusedError
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.merging import Method
from bot.trackers.embedded.pulls import Proposal, PullFilter
from bot.trackers.embedded.rest.answers import content, created, listing, ok, page_of
from bot.trackers.embedded.rest.door import acting, desk, identity, looking_afresh, pull_desk, visit
from bot.trackers.embedded.rest.fields import Fields, descending, option
from bot.trackers.embedded.rest.issues import STATES, change_state
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.shapes.pulls import full_pull_json, pull_json
from bot.trackers.embedded.values import Pull, Repository

_DIFFS = ("application/vnd.github.diff", "application/vnd.github.v3.diff")


async def index(request: Request) -> Response:
    """Answer with pull requests. As at GitHub, a ``head`` without its owner does not filter."""
    page = page_of(request)
    sort = option(request, "sort", ("created", "updated"), "created")
    owner, colon, branch = request.query_params.get("head", "").partition(":")
    wanted = PullFilter(
        state=option(request, "state", STATES, "open"),
        head=branch if colon else None,
        base=request.query_params.get("base"),
        sort=sort,
        descending=descending(request, default=sort == "created"),
    )
    async with looking_afresh(request) as (act, repository):
        if colon and owner.lower() != repository.owner.login.lower():
            return listing(request, [], page, 0)
        found = await pulls.pulls_of(act, repository, wanted, page.window)
        entries = [
            pull_json(act.links, repository, await find_thread(act, repository, pull.number), pull)
            for pull in found.entries
        ]
    return listing(request, entries, page, found.total)


async def create(request: Request) -> Response:
    """Open a pull request."""
    fields = await Fields.read(request, "PullRequest")
    account, repository = await visit(request)
    head = fields.required("head")
    proposal = Proposal(
        title=fields.required("title"),
        body=fields.text("body"),
        head_ref=head.removeprefix(f"{repository.owner.login}:"),
        base_ref=fields.required("base"),
        draft=fields.flag("draft", default=False),
    )
    thread = await pull_desk(request).open(account, repository, proposal)
    async with desk(request).look(account) as act:
        pull = await find_pull(act, thread)
    return created(full_pull_json(act.links, repository, thread, pull))


async def show(request: Request) -> Response:
    """Answer with a pull request, or with its diff where that is what is accepted."""
    async with looking_afresh(request) as (act, repository):
        thread = await find_thread(act, repository, identity(request))
        pull = await find_pull(act, thread)
    if any(media in request.headers.get("accept", "") for media in _DIFFS):
        text = await pull_desk(request).diff(repository, pull)
        return content(request, text.encode(), f"{_DIFFS[0]}; charset=utf-8", {})
    return ok(request, full_pull_json(act.links, repository, thread, pull))


async def update(request: Request) -> Response:
    """Change title, text or state of a pull request."""
    fields = await Fields.read(request, "PullRequest")
    number = identity(request)
    async with acting(request) as (act, repository):
        await find_pull(act, await find_thread(act, repository, number))
        await threads.edit(act, repository, number, title=fields.text("title"), body=fields.cleared("body"))
        await change_state(act, repository, number, fields)
        thread = await find_thread(act, repository, number)
        pull = await find_pull(act, thread)
    return ok(request, full_pull_json(act.links, repository, thread, pull))


async def list_files(request: Request) -> Response:
    """Answer with the files that a pull request changes."""
    page = page_of(request)
    async with looking_afresh(request) as (act, repository):
        pull = await find_pull(act, await find_thread(act, repository, identity(request)))
    changed = await pull_desk(request).files(repository, pull)
    shown = changed[page.window.offset :][: page.size]
    entries = [_file_json(act.links, repository, pull, each) for each in shown]
    return listing(request, entries, page, len(changed))


def _file_json(links: Links, repository: Repository, pull: Pull, changed: ChangedFile) -> Json:
    shape: Json = {
        "sha": changed.blob,
        "filename": changed.name,
        "status": changed.status,
        "additions": changed.additions,
        "deletions": changed.deletions,
        "changes": changed.additions + changed.deletions,
        "blob_url": links.page(repository, "blob", pull.head_sha, changed.name),
        "raw_url": links.page(repository, "raw", pull.head_sha, changed.name),
        "contents_url": f"{links.api(repository, 'contents', changed.name)}?ref={pull.head_sha}",
    }
    if changed.patch:
        shape["patch"] = changed.patch
    if changed.previous is not None:
        shape["previous_filename"] = changed.previous
    return shape


async def merge(request: Request) -> Response:
    """Merge a pull request."""
    fields = await Fields.read(request, "PullRequest")
    method = fields.choice("merge_method", ("merge", "squash", "rebase")) or "merge"
    if method == "rebase":
        raise RefusedError(NOT_ALLOWED, "Rebase merges are not allowed on this repository.")
    title, text = fields.text("commit_title"), fields.text("commit_message")
    account, repository = await visit(request)
    pull = await pull_desk(request).merge(
        account,
        repository,
        identity(request),
        method=Method(method),
        expected_head=fields.text("sha"),
        message=None if title is None else f"{title}\n\n{text or ''}".rstrip() + "\n",
    )
    return ok(request, {"sha": pull.merge_sha, "merged": True, "message": "Pull Request successfully merged"})


PULLS = "/repos/{owner}/{repo}/pulls"
PULL = PULLS + "/{number:int}"

ROUTES = [
    Route(PULLS, index),
    Route(PULLS, create, methods=["POST"]),
    Route(PULL, show),
    Route(PULL, update, methods=["PATCH"]),
    Route(PULL + "/files", list_files),
    Route(PULL + "/merge", merge, methods=["PUT"]),
]
