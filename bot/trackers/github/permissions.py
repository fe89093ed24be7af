"""What the bot must be allowed, and told: the words are those of an App's manifest and of fine-grained tokens."""

from __future__ import annotations

from collections.abc import Mapping

PERMISSIONS: Mapping[str, str] = {
    "actions": "read",  # runs of workflows are told only to those who may read them
    "checks": "write",  # a check run for each gate, and the checks that Work waits for
    "contents": "write",  # publishing pushes branches
    "issues": "write",  # labels, comments and reactions, in pull requests too
    "members": "read",  # whether a person is in the team that an approval asks for
    "metadata": "read",  # the repository itself, and what people may do in it
    "pull_requests": "write",  # opening and rewriting the one of a Work
    "statuses": "write",  # commit statuses count among the checks of a commit
}
"""By its name: the level that the bot needs."""

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
"""What an App subscribes to. Events about installations come to an App unasked."""

NEWER_EVENTS = frozenset({"issue_dependencies", "sub_issues"})
"""Those of ``EVENTS`` that older servers do not know; nothing breaks without them."""

_RANK = {"": 0, "read": 1, "write": 2, "admin": 3}


def short_of(granted: Mapping[str, str]) -> dict[str, str]:
    """Return the permissions that are missing or granted at too low a level, with the level that is needed."""
    return {name: level for name, level in PERMISSIONS.items() if _RANK.get(granted.get(name, ""), 0) < _RANK[level]}
