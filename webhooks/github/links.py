"""``sub_issues``, ``issue_dependencies``: of both issues only that they must be read again."""

from __future__ import annotations

from collections.abc import Mapping

from webhooks.facts import Wake
from webhooks.github.payloads import Numbered, RepositoryPart
from webhooks.github.repository_payloads import DependencyPayload, SubIssuePayload

SUB_ISSUES = frozenset({"sub_issue_added", "sub_issue_removed", "parent_issue_added", "parent_issue_removed"})
DEPENDENCIES = frozenset({"blocked_by_added", "blocked_by_removed", "blocking_added", "blocking_removed"})


def read_sub_issues(action: str, payload: Mapping[str, object], delivery: str) -> tuple[Wake, ...]:
    """Return the wakes of a parent and its sub-issue. Raises pydantic's ``ValidationError``."""
    if action not in SUB_ISSUES:
        return ()
    seen = SubIssuePayload.model_validate(payload)
    sides = ((seen.parent_issue, seen.parent_issue_repo), (seen.sub_issue, seen.sub_issue_repo))
    return _wakes(seen.repository, sides, delivery)


def read_dependencies(action: str, payload: Mapping[str, object], delivery: str) -> tuple[Wake, ...]:
    """Return the wakes of an issue and of the one that blocks it. Raises pydantic's ``ValidationError``."""
    if action not in DEPENDENCIES:
        return ()
    seen = DependencyPayload.model_validate(payload)
    sides = ((seen.blocked_issue, seen.blocked_issue_repo), (seen.blocking_issue, seen.blocking_issue_repo))
    return _wakes(seen.repository, sides, delivery)


def _wakes(
    here: RepositoryPart, sides: tuple[tuple[Numbered | None, RepositoryPart | None], ...], delivery: str
) -> tuple[Wake, ...]:
    return tuple(
        # One delivery tells of two issues, and each is a fact of its own.
        Wake(repository=(there or here).ref(), number=issue.number, delivery=f"{delivery}/{place}")
        for place, (issue, there) in enumerate(sides)
        if issue is not None
    )
