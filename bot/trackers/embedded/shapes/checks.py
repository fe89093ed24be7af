"""Check runs and their suites as JSON."""

from __future__ import annotations

from dataclasses import dataclass

from bot.trackers.embedded.apps import App
from bot.trackers.embedded.check_values import CheckRun, CheckSuite
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.git import Signature
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.apps import app_json
from bot.trackers.embedded.shapes.people import Json, node_id
from bot.trackers.embedded.shapes.repositories import repository_json
from bot.trackers.embedded.values import Pull, Repository


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What stands around the checks of a commit: ``pulls`` are the open ones whose head it is."""

    links: Links
    repository: Repository
    app: App
    pulls: tuple[Pull, ...]


def run_json(frame: Frame, run: CheckRun) -> Json:
    """Return a check run."""
    url = frame.links.api(frame.repository, "check-runs", run.id)
    output = run.output
    return {
        "id": run.id,
        "name": run.name,
        "node_id": node_id("CheckRun", run.id),
        "head_sha": run.suite.sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": frame.links.page(frame.repository, "runs", run.id),
        "details_url": run.details_url or frame.app.external_url,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": iso(run.started_at),
        "completed_at": iso(run.completed_at),
        "output": {
            "title": output.title,
            "summary": output.summary,
            "text": output.text,
            "annotations_count": 0,
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite.id},
        "app": app_json(frame.links, frame.app),
        "pull_requests": _pulls(frame),
    }


def suite_json(frame: Frame, suite: CheckSuite) -> Json:
    """Return a suite as webhooks tell it; REST adds more."""
    url = frame.links.api(frame.repository, "check-suites", suite.id)
    return {
        "id": suite.id,
        "node_id": node_id("CheckSuite", suite.id),
        "head_branch": suite.branch,
        "head_sha": suite.sha,
        "head_commit": dict(suite.head_commit),
        "status": suite.status,
        "conclusion": suite.conclusion,
        "url": url,
        "before": None,
        "after": suite.sha,
        "pull_requests": _pulls(frame),
        "app": app_json(frame.links, frame.app),
        "created_at": iso(suite.created_at),
        "updated_at": iso(suite.updated_at),
        "latest_check_runs_count": suite.runs,
        "check_runs_url": f"{url}/check-runs",
    }


def full_suite_json(frame: Frame, suite: CheckSuite) -> Json:
    """Return a suite as REST answers it."""
    return {**suite_json(frame, suite), "repository": repository_json(frame.links, frame.repository)}


def head_commit_json(commit: Commit) -> Json:
    """Return the commit of a suite."""
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "message": commit.message,
        "timestamp": iso(commit.committer.when),
        "author": _person(commit.author),
        "committer": _person(commit.committer),
    }


def _person(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email}


def _pulls(frame: Frame) -> list[Json]:
    return [
        {
            "id": pull.id,
            "number": pull.number,
            "url": frame.links.api(frame.repository, "pulls", pull.number),
            "head": _end(frame, pull.head_ref, pull.head_sha),
            "base": _end(frame, pull.base_ref, pull.base_sha),
        }
        for pull in frame.pulls
    ]


def _end(frame: Frame, ref: str, sha: str) -> Json:
    repository = frame.repository
    repo = {"id": repository.id, "url": frame.links.api(repository), "name": repository.name}
    return {"ref": ref, "sha": sha, "repo": repo}
