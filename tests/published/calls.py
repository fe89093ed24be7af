"""One call of each method of the adapter, in the repository of GitHub's own examples."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Protocol

from bot.clock import Millis
from bot.trackers.checks import Conclusion, Shown
from bot.trackers.contract import Reaction, Tracker
from bot.trackers.inspection import AppInspector, Inspector

REPO = "octocat/Hello-World"
SHA = "6dcb09b5b57875f334f61aebed695e2e4193db5e"


class _Uncounted:
    """Counts nothing."""

    def spend(self) -> None: ...

    def give_back(self) -> None: ...


TRACKER: Mapping[str, Callable[[Tracker], Awaitable[object]]] = {
    "account_of": lambda tracker: tracker.account_of("octocat"),
    "add_labels": lambda tracker: tracker.add_labels(REPO, 1347, ["bug", "run:work-issue"]),
    "assign": lambda tracker: tracker.assign(REPO, 1347, "octocat"),
    "attempts": lambda tracker: tracker.attempts(Millis(0)),
    "checks": lambda tracker: tracker.checks(REPO, SHA),
    "comment": lambda tracker: tracker.comment(REPO, 1),
    "comments": lambda tracker: tracker.comments(REPO, 1347),
    "comments_since": lambda tracker: tracker.comments_since(REPO, Millis(0)),
    "create_check": lambda tracker: tracker.create_check(
        REPO, SHA, Shown(name="gate", conclusion=None, title="Waits", url="https://bot.example/1"), external="gate-1"
    ),
    "create_comment": lambda tracker: tracker.create_comment(REPO, 1347, "text"),
    "create_pull_request": lambda tracker: tracker.create_pull_request(
        REPO, head_ref="fix", base_ref="main", title="Fix", body="text", draft=True
    ),
    "diff": lambda tracker: tracker.diff(REPO, 1347),
    "ensure_label": lambda tracker: tracker.ensure_label(REPO, "bug", color="ededed", description="text"),
    "find_pull_request": lambda tracker: tracker.find_pull_request(REPO, head_ref="fix"),
    "git_token": lambda tracker: tracker.git_token(REPO),
    "in_team": lambda tracker: tracker.in_team("octo-org/reviewers", "octocat"),
    "issue": lambda tracker: tracker.issue(REPO, 1347),
    "issue_events": lambda tracker: tracker.issue_events(REPO, 1347),
    "issues": lambda tracker: tracker.issues(REPO, label="bug"),
    "issues_since": lambda tracker: tracker.issues_since(REPO, Millis(0)),
    "line_comments": lambda tracker: tracker.line_comments(REPO, 1347, 80),
    "me": lambda tracker: tracker.me(),
    "permission": lambda tracker: tracker.permission(REPO, "octocat"),
    "pull_request": lambda tracker: tracker.pull_request(REPO, 1347),
    "react_to_comment": lambda tracker: tracker.react_to_comment(REPO, 1, Reaction.THUMBS_UP),
    "react_to_issue": lambda tracker: tracker.react_to_issue(REPO, 1347, Reaction.EYES),
    "redeliver": lambda tracker: tracker.redeliver(12345678),
    "remove_label": lambda tracker: tracker.remove_label(REPO, 1347, "state:a/b"),
    "repository": lambda tracker: tracker.repository(REPO),
    "reviews": lambda tracker: tracker.reviews(REPO, 1347),
    "set_status": lambda tracker: tracker.set_status(
        REPO, SHA, Shown(name="gate", conclusion=Conclusion.SUCCESS, title="Done", url="https://bot.example/1")
    ),
    "unassign": lambda tracker: tracker.unassign(REPO, 1347, "octocat"),
    "sparing": lambda tracker: tracker.sparing(_Uncounted()).issues(REPO, label="bug"),
    "update_check": lambda tracker: tracker.update_check(
        REPO, 4, Shown(name="gate", conclusion=Conclusion.ACTION_REQUIRED, title="Waits", summary="text")
    ),
    "update_comment": lambda tracker: tracker.update_comment(REPO, 1, "text"),
    "update_pull_request": lambda tracker: tracker.update_pull_request(REPO, 1347, title="Fix", body="text"),
}
"""By the name of a method of ``Tracker``."""

INSPECTOR: Mapping[str, Callable[[Inspector], Awaitable[object]]] = {
    "account": lambda inspector: inspector.account(),
    "attempts": lambda inspector: inspector.attempts(REPO, 12345678),
    "hooks": lambda inspector: inspector.hooks(REPO),
    "labels": lambda inspector: inspector.labels(REPO),
    "lacking": lambda inspector: inspector.lacking(REPO),
    "may_push": lambda inspector: inspector.may_push(REPO),
}
"""By the name of a method of ``Inspector``."""

APP_INSPECTOR: Mapping[str, Callable[[AppInspector], Awaitable[object]]] = {
    **INSPECTOR,
    "app": lambda inspector: inspector.app(),
    "app_attempts": lambda inspector: inspector.app_attempts(),
    "app_hook": lambda inspector: inspector.app_hook(),
    "installation": lambda inspector: inspector.installation(REPO),
}
"""By the name of a method of ``AppInspector``."""

MISSING: Mapping[str, str] = {
    "ensure_label": "GET /repos/{owner}/{repo}/labels/{name}",
    "in_team": "GET /orgs/{org}/teams/{team_slug}/memberships/{username}",
}
"""By the name of a method: what has to be missing for all of its requests to be made."""


def methods(port: type) -> Iterator[str]:
    """Yield the names of what a port promises."""
    for each in port.__mro__:
        if each is not Protocol:
            yield from (name for name, value in vars(each).items() if callable(value) and not name.startswith("_"))
