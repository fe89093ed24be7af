"""The fields in use of payloads about labels of a repository, links between issues, and runs of workflows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from webhooks.github.payloads import Id, Name, Narrow, Numbered, RepositoryPart


class LabelPart(Narrow):
    """A label."""

    name: Name


class NameBefore(Narrow):
    """A name before it was changed."""

    before: Name = Field(alias="from")


class LabelChanges(Narrow):
    """What an edit of a label changed; its colour is of no interest."""

    name: NameBefore | None = None


class LabelPayload(Narrow):
    """``label``."""

    repository: RepositoryPart
    label: LabelPart
    changes: LabelChanges = LabelChanges()


class SubIssuePayload(Narrow):
    """``sub_issues``: one side is of the repository, and the other may be of another, or hidden from us."""

    repository: RepositoryPart
    parent_issue: Numbered | None = None
    parent_issue_repo: RepositoryPart | None = None
    sub_issue: Numbered | None = None
    sub_issue_repo: RepositoryPart | None = None


class DependencyPayload(Narrow):
    """``issue_dependencies``: as for sub-issues."""

    repository: RepositoryPart
    blocked_issue: Numbered | None = None
    blocked_issue_repo: RepositoryPart | None = None
    blocking_issue: Numbered | None = None
    blocking_issue_repo: RepositoryPart | None = None


Attempt = Annotated[int, Field(ge=1)]


class WorkflowRunPart(Narrow):
    """A run of a workflow."""

    id: Id
    run_attempt: Attempt
    head_sha: Name
    head_branch: str | None
    status: Name
    conclusion: str | None


class WorkflowRunPayload(Narrow):
    """``workflow_run``."""

    repository: RepositoryPart
    workflow_run: WorkflowRunPart


class WorkflowJobPart(Narrow):
    """A job of a run. Older servers tell no branch, and no attempt, since a run has one only there."""

    id: Id
    run_id: Id
    run_attempt: Attempt = 1
    head_sha: Name
    head_branch: str | None = None
    status: Name
    conclusion: str | None


class WorkflowJobPayload(Narrow):
    """``workflow_job``."""

    repository: RepositoryPart
    workflow_job: WorkflowJobPart
