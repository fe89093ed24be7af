"""
Check runs of commits. Only Apps write them, each its own; those of one App on one commit are a suite.

A suite has ended when all of its runs have, and tells it then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.trackers.embedded import apps, rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.apps import App
from bot.trackers.embedded.check_values import CheckRun, CheckSuite, Output
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.faults import forbidden, invalid, not_found
from bot.trackers.embedded.hooks import emit
from bot.trackers.embedded.repositories import require
from bot.trackers.embedded.shapes.checks import Frame, head_commit_json, run_json, suite_json
from bot.trackers.embedded.store import Row, Value
from bot.trackers.embedded.values import Listed, Pull, Repository, Role, Window

STATUSES = ("queued", "in_progress", "completed")
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
"""What an App may say; that a run is stale, or could not be started, says only the tracker."""
MAX_OUTPUT = 65_535
"""Characters of a summary or a text."""
_WORST = ("failure", "timed_out", "action_required", "cancelled", "success", "neutral", "skipped")
"""What a suite ends with: the first of these that one of its runs ended with."""
_APP_ONLY = "You must authenticate via a GitHub App."


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an App says of a commit. None leaves what was said before."""

    name: str | None = None
    status: str | None = None
    conclusion: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    output: Output | None = None


async def create(act: Act, repository: Repository, commit: Commit, report: Report) -> CheckRun:
    """Add a check run. Raises ``RefusedError``: 403 for anybody but an App with write access, 422."""
    app = await _writing(act, repository)
    if not report.name:
        raise invalid("CheckRun", "name", "missing_field")
    suite = await _suite(act, repository, app, commit)
    fresh = CheckRun(
        id=await act.tx.next_id(), suite=suite, app=app.id, name=report.name, status="queued", started_at=act.now
    )
    run = _with(fresh, report, act.now)
    await act.tx.run("check_run_insert", id=run.id, suite=suite.id, name=run.name, now=act.now)
    await _tell(act, repository, run, "created")
    return await _save(act, repository, run, before=fresh)


async def update(act: Act, repository: Repository, identity: int, report: Report) -> CheckRun:
    """Rewrite a check run of the App's own. Raises ``RefusedError``: 403, 404, 422."""
    app = await _writing(act, repository)
    before = await find(act, repository, identity)
    if before.app != app.id:
        reason = "check run can only be modified by the GitHub App that created it."
        raise forbidden(f"Invalid app_id `{app.id}` - {reason}")
    return await _save(act, repository, _with(before, report, act.now), before=before)


async def find(act: Act, repository: Repository, identity: int) -> CheckRun:
    """Return a check run. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("check_run_by_id", repository=repository.id, id=identity)
    if row is None:
        raise not_found()
    return _run(row)


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Which check runs; ``every`` also those that a later one of the same suite and name took the place of."""

    name: str | None = None
    status: str | None = None
    app: int | None = None
    every: bool = False


async def of_commit(act: Act, repository: Repository, sha: str, wanted: Filter, window: Window) -> Listed[CheckRun]:
    """Return the check runs of a commit, newest first."""
    found = await act.tx.all(
        "check_runs_list",
        repository=repository.id,
        sha=sha,
        name=wanted.name,
        status=wanted.status,
        app=wanted.app,
        every=wanted.every,
        limit=window.limit,
        offset=window.offset,
    )
    return rows.listed(found, _run)


async def suites_of(act: Act, repository: Repository, sha: str, window: Window) -> Listed[CheckSuite]:
    """Return the suites of a commit, oldest first."""
    where: dict[str, Value] = {"repository": repository.id, "sha": sha}
    found = await act.tx.all("check_suites_list", **where, limit=window.limit, offset=window.offset)
    return rows.listed(found, _of_row)


async def frame(act: Act, repository: Repository, suite: CheckSuite) -> Frame:
    """Return what stands around a suite and its runs: the App, and the open pull requests of the commit."""
    where: dict[str, Value] = {"repository": repository.id, "sha": suite.sha}
    pulls: tuple[Pull, ...] = tuple(rows.pull(row) for row in await act.tx.all("pulls_at", **where))
    return Frame(links=act.links, repository=repository, app=await apps.find(act.tx, suite.app), pulls=pulls)


async def _writing(act: Act, repository: Repository) -> App:
    row = await act.tx.one("app_of_bot", bot=act.actor.id)
    if row is None:
        raise forbidden(_APP_ONLY)
    await require(act, repository, Role.WRITE)
    return await apps.find(act.tx, row["id"])


async def _suite(act: Act, repository: Repository, app: App, commit: Commit) -> CheckSuite:
    where: dict[str, Value] = {"repository": repository.id, "app": app.id, "sha": commit.sha}
    if await act.tx.one("check_suite_of_app", **where) is None:
        branch = commit.branches[0] if commit.branches else None
        await act.tx.run(
            "check_suite_insert",
            id=await act.tx.next_id(),
            **where,
            branch=branch,
            head_commit=json.dumps(head_commit_json(commit)),
            now=act.now,
        )
    row = await act.tx.one("check_suite_of_app", **where)
    if row is None:
        raise not_found()
    return _of_row(row)


def _with(run: CheckRun, report: Report, now: Millis) -> CheckRun:
    """Return a run as a report has it. Raises ``RefusedError`` (422)."""
    if report.status is not None and report.status not in STATUSES:
        raise invalid("CheckRun", "status")
    if report.conclusion is not None and report.conclusion not in CONCLUSIONS:
        raise invalid("CheckRun", "conclusion")
    output = report.output or run.output
    if any(len(text or "") > MAX_OUTPUT for text in (output.summary, output.text)):
        message = f"Only {MAX_OUTPUT} characters are allowed; {len(output.summary or '')} were supplied."
        raise invalid("CheckRun", "output.summary", "custom", message)
    status = "completed" if report.conclusion is not None else report.status or run.status
    conclusion = report.conclusion or (run.conclusion if report.status in {None, "completed"} else None)
    if (status == "completed") != (conclusion is not None):
        raise invalid("CheckRun", "conclusion", "missing_field")
    again = (status, conclusion) == (run.status, run.conclusion)
    return replace(
        run,
        name=report.name or run.name,
        status=status,
        conclusion=conclusion,
        external_id=run.external_id if report.external_id is None else report.external_id,
        details_url=run.details_url if report.details_url is None else report.details_url,
        output=output,
        completed_at=None if conclusion is None else run.completed_at if again else now,
    )


async def _save(act: Act, repository: Repository, run: CheckRun, *, before: CheckRun) -> CheckRun:
    await act.tx.run(
        "check_run_update",
        id=run.id,
        name=run.name,
        status=run.status,
        conclusion=run.conclusion,
        external_id=run.external_id,
        details_url=run.details_url,
        title=run.output.title,
        summary=run.output.summary,
        text=run.output.text,
        completed_at=run.completed_at,
    )
    await act.tx.run("pulls_stir", repository=repository.id, sha=run.suite.sha)
    saved = await find(act, repository, run.id)
    await act.tx.run("check_suite_touch", id=run.suite.id, now=act.now)
    if run.status == "completed" and run.conclusion != before.conclusion:
        await _tell(act, repository, saved, "completed")
        suite = await _suite_of(act, run)
        if suite.status == "completed":
            around = await frame(act, repository, suite)
            await emit(act, repository, "check_suite", "completed", {"check_suite": suite_json(around, suite)})
    return saved


async def _suite_of(act: Act, run: CheckRun) -> CheckSuite:
    row = await act.tx.one("check_suite_by_id", id=run.suite.id)
    if row is None:
        raise not_found()
    return _of_row(row)


async def _tell(act: Act, repository: Repository, run: CheckRun, action: str) -> None:
    around = await frame(act, repository, run.suite)
    body = {**run_json(around, run), "check_suite": suite_json(around, run.suite)}
    await emit(act, repository, "check_run", action, {"check_run": body})


def _of_row(row: Row) -> CheckSuite:
    open_runs, ended = row["open_runs"], set(filter(None, (row["conclusions"] or "").split(",")))
    done = not open_runs and bool(ended)
    return CheckSuite(
        id=row["id"],
        app=row["app"],
        sha=row["sha"],
        branch=row["branch"],
        head_commit=json.loads(row["head_commit"]),
        status="completed" if done else "in_progress" if row["begun"] else "queued",
        conclusion=next(word for word in _WORST if word in ended) if done else None,
        runs=row["runs"],
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
    )


def _run(row: Row) -> CheckRun:
    suite = {name.removeprefix("suite_"): value for name, value in row.items() if name.startswith("suite_")}
    return CheckRun(
        id=row["id"],
        suite=_of_row(suite),
        app=row["suite_app"],
        name=row["name"],
        status=row["status"],
        conclusion=row["conclusion"],
        external_id=row["external_id"],
        details_url=row["details_url"],
        output=Output(title=row["title"], summary=row["summary"], text=row["text"]),
        started_at=Millis(row["started_at"]),
        completed_at=rows.moment(row["completed_at"]),
    )
