"""Check runs of commits, and their suites."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.trackers.embedded import check_runs
from bot.trackers.embedded.check_desk import commit_at
from bot.trackers.embedded.check_runs import Filter, Report
from bot.trackers.embedded.check_values import Output
from bot.trackers.embedded.rest.answers import created, links, ok, page_of
from bot.trackers.embedded.rest.door import MAX_INTEGER, acting, desk, identity, looking, visit
from bot.trackers.embedded.rest.fields import Fields, option
from bot.trackers.embedded.rest.statuses import commit_of
from bot.trackers.embedded.shapes.checks import full_suite_json, run_json

REPOSITORY = "/repos/{owner}/{repo}"


def _report(fields: Fields) -> Report:
    output = None
    if fields.has("output"):
        part = fields.part("output")
        output = Output(title=part.required("title"), summary=part.required("summary"), text=part.text("text"))
    return Report(
        name=fields.text("name"),
        status=fields.text("status"),
        conclusion=fields.text("conclusion"),
        external_id=fields.text("external_id"),
        details_url=fields.text("details_url"),
        output=output,
    )


async def create(request: Request) -> Response:
    """Add a check run."""
    fields = await Fields.read(request, "CheckRun")
    report = _report(fields)
    ref = fields.required("head_sha")
    _, seen = await visit(request)
    commit = await commit_at(desk(request), seen, ref)
    async with acting(request) as (act, repository):
        run = await check_runs.create(act, repository, commit, report)
        frame = await check_runs.frame(act, repository, run.suite)
    return created(run_json(frame, run))


async def update(request: Request) -> Response:
    """Rewrite a check run."""
    fields = await Fields.read(request, "CheckRun")
    report = _report(fields)
    async with acting(request) as (act, repository):
        run = await check_runs.update(act, repository, identity(request, "run"), report)
        frame = await check_runs.frame(act, repository, run.suite)
    return ok(request, run_json(frame, run))


async def show(request: Request) -> Response:
    """Answer with a check run."""
    async with looking(request) as (act, repository):
        run = await check_runs.find(act, repository, identity(request, "run"))
        frame = await check_runs.frame(act, repository, run.suite)
    return ok(request, run_json(frame, run))


async def index(request: Request) -> Response:
    """Answer with the check runs of a commit: of each suite and name the latest, unless all are asked for."""
    page, commit, query = page_of(request), await commit_of(request, "ref"), request.query_params
    app = query.get("app_id", "")
    wanted = Filter(
        name=query.get("check_name"),
        status=query.get("status"),
        app=min(int(app[:19]), MAX_INTEGER) if app.isascii() and app.isdigit() else None,
        every=option(request, "filter", ("latest", "all"), "latest") == "all",
    )
    async with looking(request) as (act, repository):
        found = await check_runs.of_commit(act, repository, commit.sha, wanted, page.window)
        runs = [run_json(await check_runs.frame(act, repository, each.suite), each) for each in found.entries]
    return ok(request, {"total_count": found.total, "check_runs": runs}, links(request, page, found.total))


async def suites(request: Request) -> Response:
    """Answer with the suites of a commit."""
    page, commit = page_of(request), await commit_of(request, "ref")
    async with looking(request) as (act, repository):
        found = await check_runs.suites_of(act, repository, commit.sha, page.window)
        entries = [full_suite_json(await check_runs.frame(act, repository, each), each) for each in found.entries]
    return ok(request, {"total_count": found.total, "check_suites": entries}, links(request, page, found.total))


ROUTES = [
    Route(REPOSITORY + "/check-runs", create, methods=["POST"]),
    Route(REPOSITORY + "/check-runs/{run:int}", update, methods=["PATCH"]),
    Route(REPOSITORY + "/check-runs/{run:int}", show),
    Route(REPOSITORY + "/commits/{ref:path}/check-runs", index),
    Route(REPOSITORY + "/commits/{ref:path}/check-suites", suites),
]
