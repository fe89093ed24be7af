"""``check_run``, ``check_suite``, ``status``: of all of them only which commit has to be looked at again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from bot.trackers.checks import PREFIX
from webhooks.code_facts import ChecksFact
from webhooks.github.code_payloads import CheckRunPayload, CheckSuitePayload, Identified, StatusPayload
from webhooks.github.payloads import RepositoryPart

RUN_ACTIONS = frozenset({"created", "completed", "rerequested"})
SUITE_ACTIONS = frozenset({"completed", "requested", "rerequested"})


def read_run(action: str, payload: Mapping[str, object], delivery: str) -> tuple[ChecksFact, ...]:
    """Return the commit of a check. Raises pydantic's ``ValidationError``."""
    if action not in RUN_ACTIONS:
        return ()
    seen = CheckRunPayload.model_validate(payload)
    run = seen.check_run
    return _changed(seen.repository, run.head_sha, run.check_suite.head_branch, run.app, delivery)


def read_suite(action: str, payload: Mapping[str, object], delivery: str) -> tuple[ChecksFact, ...]:
    """Return the commit of a suite. Raises pydantic's ``ValidationError``."""
    if action not in SUITE_ACTIONS:
        return ()
    seen = CheckSuitePayload.model_validate(payload)
    suite = seen.check_suite
    return _changed(seen.repository, suite.head_sha, suite.head_branch, suite.app, delivery)


def read_status(_action: str, payload: Mapping[str, object], delivery: str) -> tuple[ChecksFact, ...]:
    """Return the commit of a status. Raises pydantic's ``ValidationError``."""
    seen = StatusPayload.model_validate(payload)
    branches = tuple(branch.name for branch in seen.branches)
    fact = ChecksFact(repository=seen.repository.ref(), sha=seen.sha, branches=branches, delivery=delivery)
    if seen.context.startswith(PREFIX) and seen.sender is not None:
        fact = replace(fact, account=seen.sender.id, context=seen.context)
    return (fact,)


def _changed(
    repository: RepositoryPart, sha: str, branch: str | None, app: Identified | None, delivery: str
) -> tuple[ChecksFact, ...]:
    branches = () if branch is None else (branch,)
    by = None if app is None else app.id
    return (ChecksFact(repository=repository.ref(), sha=sha, branches=branches, delivery=delivery, app=by),)
