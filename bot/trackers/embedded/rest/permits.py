"""Which permission of an App a request needs, by its path; any one of several is enough."""

from __future__ import annotations

from collections.abc import Sequence

from bot.trackers.embedded.access import Access
from bot.trackers.embedded.faults import forbidden

_READING = frozenset({"GET", "HEAD"})
_IN_REPOSITORY: Sequence[tuple[tuple[str, ...], tuple[str, ...]]] = (
    (("commits", "*", "check-runs"), ("checks",)),
    (("commits", "*", "check-suites"), ("checks",)),
    (("commits", "*", "status"), ("statuses",)),
    (("commits", "*", "statuses"), ("statuses",)),
    (("pulls", "*", "merge"), ("contents",)),
    (("actions",), ("actions",)),
    (("branches",), ("contents",)),
    (("check-runs",), ("checks",)),
    (("check-suites",), ("checks",)),
    (("collaborators",), ("metadata",)),
    (("commits",), ("contents",)),
    (("compare",), ("contents",)),
    (("contents",), ("contents",)),
    (("dispatches",), ("contents",)),
    (("git",), ("contents",)),
    (("hooks",), ("repository_hooks",)),
    (("issues",), ("issues", "pull_requests")),
    (("labels",), ("issues", "pull_requests")),
    (("merges",), ("contents",)),
    (("pulls",), ("pull_requests",)),
    (("statuses",), ("statuses",)),
)
"""By the beginning of the path below a repository, ``*`` for any one part; the first that fits counts."""
REFUSAL = "Resource not accessible by integration"


def permit(access: Access, method: str, path: str) -> None:
    """Raise ``RefusedError`` (403) unless the token may do this; ``path`` begins at the API's root."""
    needed = _needed(path.strip("/").split("/"))
    level = "read" if method in _READING else "write"
    if needed is None or not any(access.allows(name, level) for name in needed):
        raise forbidden(REFUSAL)


def _needed(parts: Sequence[str]) -> Sequence[str] | None:
    """Return the permissions of which one is needed, None for what no App may ask with a token."""
    first = parts[0]
    if first in {"users", "repositories", "installation"}:
        return ("metadata",)
    if first == "orgs":
        return ("members",)
    if first != "repos":
        return None
    below = parts[3:]
    if not below:
        return ("metadata",)
    return next((found for pattern, found in _IN_REPOSITORY if _fits(pattern, below)), None)


def _fits(pattern: Sequence[str], below: Sequence[str]) -> bool:
    return len(pattern) <= len(below) and all(each in {"*", part} for each, part in zip(pattern, below, strict=False))
