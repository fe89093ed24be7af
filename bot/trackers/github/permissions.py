"""
What of the API the bot uses, and what it must be allowed for it.

Operations are named as in GitHub's published description of its API. The words for permissions are those of an App's
manifest; a fine-grained personal token has the same ones under longer names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Permission(NamedTuple):
    """What one operation needs; ``level`` is ``read`` or ``write``. Without a name, any credentials will do."""

    name: str
    level: str


_ANYONE = Permission("", "read")
_METADATA = Permission("metadata", "read")
_ISSUES, _ISSUES_WRITE = Permission("issues", "read"), Permission("issues", "write")
_PULLS, _PULLS_WRITE = Permission("pull_requests", "read"), Permission("pull_requests", "write")
_CONTENTS = Permission("contents", "read")
_CHECKS, _CHECKS_WRITE = Permission("checks", "read"), Permission("checks", "write")
_STATUSES, _STATUSES_WRITE = Permission("statuses", "read"), Permission("statuses", "write")
_MEMBERS = Permission("members", "read")
_HOOKS, _HOOKS_WRITE = Permission("repository_hooks", "read"), Permission("repository_hooks", "write")

OPERATIONS: Mapping[str, Permission] = {
    "apps/create-installation-access-token": _ANYONE,
    "apps/get-authenticated": _ANYONE,
    "apps/get-repo-installation": _ANYONE,
    "apps/list-installations": _ANYONE,
    "apps/list-webhook-deliveries": _ANYONE,
    "apps/redeliver-webhook-delivery": _ANYONE,
    "checks/create": _CHECKS_WRITE,
    "checks/list-for-ref": _CHECKS,
    "checks/update": _CHECKS_WRITE,
    "issues/add-assignees": _ISSUES_WRITE,
    "issues/add-labels": _ISSUES_WRITE,
    "issues/create-comment": _ISSUES_WRITE,
    "issues/create-label": _ISSUES_WRITE,
    "issues/get": _ISSUES,
    "issues/get-label": _ISSUES,
    "issues/list-comments": _ISSUES,
    "issues/list-comments-for-repo": _ISSUES,
    "issues/list-events": _ISSUES,
    "issues/list-for-repo": _ISSUES,
    "issues/remove-label": _ISSUES_WRITE,
    "issues/update-comment": _ISSUES_WRITE,
    "pulls/create": _PULLS_WRITE,
    "pulls/get": _PULLS,
    "pulls/list": _PULLS,
    "pulls/list-comments-for-review": _PULLS,
    "pulls/list-reviews": _PULLS,
    "pulls/update": _PULLS_WRITE,
    "reactions/create-for-issue": _ISSUES_WRITE,
    "reactions/create-for-issue-comment": _ISSUES_WRITE,
    "repos/create-commit-status": _STATUSES_WRITE,
    "repos/get": _METADATA,
    "repos/get-branch": _CONTENTS,
    "repos/get-collaborator-permission-level": _METADATA,
    "repos/list-commit-statuses-for-ref": _STATUSES,
    "repos/list-webhook-deliveries": _HOOKS,
    "repos/list-webhooks": _HOOKS,
    "repos/redeliver-webhook-delivery": _HOOKS_WRITE,
    "teams/get-by-name": _MEMBERS,
    "teams/get-membership-for-user-in-org": _MEMBERS,
    "users/get-authenticated": _ANYONE,
}
"""By the operation: what it needs."""

TOKEN_ONLY = frozenset(
    {
        "repos/create-commit-status",
        "repos/list-webhook-deliveries",
        "repos/list-webhooks",
        "repos/redeliver-webhook-delivery",
    }
)
"""What is asked with a personal token only: an App writes check runs, and has one webhook of its own."""

_BESIDES = (
    Permission("contents", "write"),  # publishing pushes branches
    Permission("actions", "read"),  # workflow_run and workflow_job are told to those only who may read these
)


def _widest() -> dict[str, str]:
    needed = [each for name, each in OPERATIONS.items() if name not in TOKEN_ONLY and each.name]
    levels: dict[str, str] = {}
    for permission in sorted([*needed, *_BESIDES]):  # read comes before write, so the wider one stays
        levels[permission.name] = permission.level
    return levels


PERMISSIONS: Mapping[str, str] = _widest()
"""By its name in an App's manifest: the level that the bot needs of a permission."""

EVENTS: tuple[str, ...] = (
    "check_run",
    "check_suite",
    "issue_comment",
    "issue_dependencies",
    "issues",
    "label",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "repository",
    "status",
    "sub_issues",
    "workflow_job",
    "workflow_run",
)
"""What an App or a webhook subscribes to. Events about installations come to an App unasked."""

NEWER_EVENTS = frozenset({"issue_dependencies", "sub_issues"})
"""Those of ``EVENTS`` that older servers do not know; nothing breaks without them."""
