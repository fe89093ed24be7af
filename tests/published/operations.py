"""
The operations that are used, each with what it needs: one table, for the tests and for docs/permissions.md.

The description tells which operations an App may use and which permission an event needs, but not which permission an
operation needs: that stands in the documentation of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bot.trackers.github.permissions import EVENTS
from tests.published.description import description

NOTHING = "—"
_SENTENCE = re.compile(r"must have at least read-level access for the \"([^\"]+)\"")
_WORDS = {"Commit statuses": "statuses"}
"""What a permission is called for people, where that is not its name with a space."""


@dataclass(frozen=True)
class Use:
    """What an operation needs, and what it is used for. ``permission`` is empty where none is needed."""

    permission: str
    level: str
    purpose: str


OPERATIONS: Mapping[str, Use] = {
    "DELETE /repos/{owner}/{repo}/issues/{issue_number}/assignees": Use("issues", "write", "hand an issue back"),
    "DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}": Use("issues", "write", "show the state"),
    "GET /app": Use("", "", "an App: who it is, and its permissions, for the doctor"),
    "GET /app/hook/config": Use("", "", "an App: its webhook, for the doctor"),
    "GET /app/hook/deliveries": Use("", "", "an App: whether events arrive, for the doctor"),
    "GET /app/installations": Use("", "", "an App: where it is installed"),
    "GET /installation/repositories": Use("metadata", "read", "an App: what it was let into, for `trackside init`"),
    "GET /orgs/{org}/teams/{team_slug}": Use("members", "read", "tell a team that cannot be seen from a stranger"),
    "GET /orgs/{org}/teams/{team_slug}/memberships/{username}": Use("members", "read", "teams that may approve"),
    "GET /repos/{owner}/{repo}": Use("metadata", "read", "its id, default branch and address for git"),
    "GET /repos/{owner}/{repo}/branches": Use("contents", "read", "the doctor: whether it may be read"),
    "GET /repos/{owner}/{repo}/collaborators/{username}/permission": Use(
        "metadata", "read", "whether the author of a command may give it"
    ),
    "GET /repos/{owner}/{repo}/commits/{ref}/check-runs": Use("checks", "read", "checks that Work waits for"),
    "GET /repos/{owner}/{repo}/commits/{ref}/statuses": Use("statuses", "read", "checks that Work waits for"),
    "GET /repos/{owner}/{repo}/hooks": Use("repository_hooks", "read", "the doctor: the webhook of the bot"),
    "GET /repos/{owner}/{repo}/hooks/{hook_id}/deliveries": Use(
        "repository_hooks", "read", "the doctor: whether events arrive"
    ),
    "GET /repos/{owner}/{repo}/installation": Use("", "", "an App: by which installation to act"),
    "GET /repos/{owner}/{repo}/issues": Use("issues", "read", "find what is labelled, and what has changed"),
    "GET /repos/{owner}/{repo}/issues/comments": Use("issues", "read", "find comments that no webhook told of"),
    "GET /repos/{owner}/{repo}/issues/comments/{comment_id}": Use("issues", "read", "a command as it is now"),
    "GET /repos/{owner}/{repo}/issues/{issue_number}": Use("issues", "read", "the issue as it is when a run starts"),
    "GET /repos/{owner}/{repo}/issues/{issue_number}/comments": Use("issues", "read", "the thread, for the agent"),
    "GET /repos/{owner}/{repo}/issues/{issue_number}/events": Use("issues", "read", "who put a label on, and when"),
    "GET /repos/{owner}/{repo}/labels": Use("issues", "read", "the doctor: labels that clash"),
    "GET /repos/{owner}/{repo}/labels/{name}": Use("issues", "read", "whether a label has to be made"),
    "GET /repos/{owner}/{repo}/pulls": Use("pull_requests", "read", "the pull request of a branch"),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}": Use("pull_requests", "read", "its head, state and diff"),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews": Use("pull_requests", "read", "reviews that decide"),
    "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments": Use(
        "pull_requests", "read", "what a review asks for, line by line"
    ),
    "GET /user": Use("", "", "a token: whose it is"),
    "GET /users/{username}": Use("", "", "the account that it acts as, and those that a gate names"),
    "PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}": Use("checks", "write", "an App: the check of a gate"),
    "PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}": Use("issues", "write", "its own comments only"),
    "PATCH /repos/{owner}/{repo}/pulls/{pull_number}": Use("pull_requests", "write", "its own pull requests only"),
    "POST /app-manifests/{code}/conversions": Use("", "", "an App: its key, once, in `trackside init`"),
    "POST /app/hook/deliveries/{delivery_id}/attempts": Use("", "", "an App: have an event that failed sent again"),
    "POST /app/installations/{installation_id}/access_tokens": Use("", "", "an App: a token for an hour"),
    "POST /repos/{owner}/{repo}/check-runs": Use("checks", "write", "an App: the check of a gate"),
    "POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions": Use(
        "issues", "write", "show that a command was seen"
    ),
    "POST /repos/{owner}/{repo}/issues/{issue_number}/assignees": Use("issues", "write", "assign whom you configure"),
    "POST /repos/{owner}/{repo}/issues/{issue_number}/comments": Use("issues", "write", "say what happens"),
    "POST /repos/{owner}/{repo}/issues/{issue_number}/labels": Use("issues", "write", "show the state"),
    "POST /repos/{owner}/{repo}/issues/{issue_number}/reactions": Use("issues", "write", "show that it was seen"),
    "POST /repos/{owner}/{repo}/labels": Use("issues", "write", "make labels that are missing"),
    "POST /repos/{owner}/{repo}/pulls": Use("pull_requests", "write", "open the pull request of a Work"),
    "POST /repos/{owner}/{repo}/statuses/{sha}": Use("statuses", "write", "a token: the check of a gate"),
}
"""By the operation, as the description names it."""

DOCTORS_OWN = frozenset({"repository_hooks"})
"""What only the doctor uses; it says less without them."""


def event_permission(event: str) -> str | None:
    """Return the permission that an App needs to be told of an event, None where the description says nothing."""
    found = {
        _WORDS.get(words, words.lower().replace(" ", "_"))
        for text in description().texts(event)
        for words in _SENTENCE.findall(text)
    }
    return found.pop() if len(found) == 1 else None


def operation_rows() -> Iterator[list[str]]:
    """Yield the rows of the table of operations."""
    for operation, use in sorted(OPERATIONS.items(), key=lambda item: item[0].split()[::-1]):
        yield [
            f"`{operation}`",
            f"`{use.permission}`" if use.permission else NOTHING,
            use.level or NOTHING,
            use.purpose,
        ]


def event_rows() -> Iterator[list[str]]:
    """Yield the rows of the table of events."""
    for event in EVENTS:
        yield [f"`{event}`", f"`{event_permission(event)}`"]


def table(heading: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown."""
    heading = list(heading)
    lines = [heading, ["---"] * len(heading), *rows]
    return "".join(f"| {' | '.join(line)} |\n" if line is not lines[1] else f"|{'|'.join(line)}|\n" for line in lines)
