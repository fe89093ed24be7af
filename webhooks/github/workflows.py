"""``workflow_run``, ``workflow_job``: where a run of a workflow, or a job of one, stands."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.github.repository_payloads import WorkflowJobPayload, WorkflowRunPayload
from webhooks.repository_facts import WorkflowFact

RUN_ACTIONS = frozenset({"requested", "in_progress", "completed"})
JOB_ACTIONS = frozenset({"queued", "waiting", "in_progress", "completed"})


def read_run(action: str, payload: Mapping[str, object], _delivery: str) -> tuple[WorkflowFact, ...]:
    """Return where a run stands. Raises pydantic's ``ValidationError``."""
    if action not in RUN_ACTIONS:
        return ()
    seen = WorkflowRunPayload.model_validate(payload)
    run = seen.workflow_run
    fact = WorkflowFact(
        repository=seen.repository.ref(),
        run=run.id,
        attempt=run.run_attempt,
        job=None,
        sha=run.head_sha,
        branch=run.head_branch,
        state=run.status,
        conclusion=run.conclusion,
    )
    return (fact,)


def read_job(action: str, payload: Mapping[str, object], _delivery: str) -> tuple[WorkflowFact, ...]:
    """Return where a job stands. Raises pydantic's ``ValidationError``."""
    if action not in JOB_ACTIONS:
        return ()
    seen = WorkflowJobPayload.model_validate(payload)
    job = seen.workflow_job
    fact = WorkflowFact(
        repository=seen.repository.ref(),
        run=job.run_id,
        attempt=job.run_attempt,
        job=job.id,
        sha=job.head_sha,
        branch=job.head_branch,
        state=job.status,
        conclusion=job.conclusion,
    )
    return (fact,)
