"""
From a GitHub payload to facts: pure, and never an exception.

An event or action that is not in use gives no facts; one that is in use but lacks what we read gives
``Malformed`` with the reason, so that a change of GitHub's payloads shows in the record of deliveries
instead of as silence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from webhooks.facts import Fact, Ping
from webhooks.github import access, checks, comments, issues, labels, links, pulls, pushes, reviews, workflows
from webhooks.github.payloads import PingPayload


@dataclass(frozen=True, kw_only=True)
class Malformed:
    """An event in use whose payload could not be read; the reason is one line."""

    reason: str


Read = Callable[[str, Mapping[str, object], str], tuple[Fact, ...]]


def _ping(_action: str, payload: Mapping[str, object], delivery: str) -> tuple[Ping, ...]:
    return (Ping(hook_id=PingPayload.model_validate(payload).hook_id, delivery=delivery),)


EVENTS: Mapping[str, Read] = {
    "issues": issues.read,
    "issue_comment": comments.read,
    "pull_request": pulls.read,
    "pull_request_review": reviews.read,
    "pull_request_review_comment": pulls.read_line,
    "pull_request_review_thread": pulls.read_discussion,
    "check_run": checks.read_run,
    "check_suite": checks.read_suite,
    "status": checks.read_status,
    "push": pushes.read,
    "installation": access.read_installation,
    "installation_repositories": access.read_repositories,
    "repository": access.read_repository,
    "label": labels.read,
    "sub_issues": links.read_sub_issues,
    "issue_dependencies": links.read_dependencies,
    "workflow_run": workflows.read_run,
    "workflow_job": workflows.read_job,
    "ping": _ping,
}


def normalise(event: str, action: str, payload: Mapping[str, object], *, delivery: str) -> tuple[Fact, ...] | Malformed:
    """Return the facts that a delivery tells; ``delivery`` is its id, which keys what has no other key."""
    read = EVENTS.get(event)
    if read is None:
        return ()
    try:
        return read(action, payload, delivery)
    except ValidationError as error:
        # Place and rule only: the value itself is a stranger's text and has no place in a log.
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Malformed(reason=f"{place}: {first['msg']}")
