"""Commits, and what accounts say of them, as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from bot.trackers.embedded.check_values import Status
from bot.trackers.embedded.commits import Commit
from bot.trackers.embedded.git import Signature
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.shapes.repositories import repository_json
from bot.trackers.embedded.values import Repository

_UNSIGNED = dict.fromkeys(("signature", "payload", "verified_at"))


def _person(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email, "date": iso(signature.when)}


def commit_json(links: Links, repository: Repository, commit: Commit) -> Json:
    """Return a commit as the events of statuses tell it. Who made it is known to git only, as no account."""
    url = links.api(repository, "commits", commit.sha)
    git_url = links.api(repository, "git", "commits", commit.sha)
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", repository.id),
        "commit": {
            "author": _person(commit.author),
            "committer": _person(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": links.api(repository, "git", "trees", commit.tree)},
            "url": git_url,
            "comment_count": 0,
            "verification": {"verified": False, "reason": "unsigned", **_UNSIGNED},
        },
        "url": url,
        "html_url": links.page(repository, "commit", commit.sha),
        "comments_url": f"{url}/comments",
        "author": None,
        "committer": None,
        "parents": [],
    }


def tip_json(links: Links, repository: Repository, commit: Commit, branch: str) -> Json:
    """Return a branch that a commit is the tip of."""
    url = links.api(repository, "commits", commit.sha)
    return {"name": branch, "commit": {"sha": commit.sha, "url": url}, "protected": False}


def simple_status_json(links: Links, repository: Repository, status: Status) -> Json:
    """Return a status as it stands in the sum of all."""
    return {
        "url": links.api(repository, "statuses", status.sha),
        "avatar_url": None,
        "id": status.id,
        "node_id": node_id("StatusContext", status.id),
        "state": status.claim.state,
        "description": status.claim.description,
        "target_url": status.claim.target_url,
        "context": status.claim.context,
        "created_at": iso(status.created_at),
        "updated_at": iso(status.created_at),
    }


def status_json(links: Links, repository: Repository, status: Status) -> Json:
    """Return a status with who set it."""
    return {**simple_status_json(links, repository, status), "creator": user_json(links, status.creator)}


def combined_json(
    links: Links, repository: Repository, sha: str, state: str, statuses: Sequence[Status], total: int
) -> Json:
    """Return the sum of the last statuses; ``statuses`` are those of one page, of ``total``."""
    commit = links.api(repository, "commits", sha)
    return {
        "state": state,
        "statuses": [simple_status_json(links, repository, each) for each in statuses],
        "sha": sha,
        "total_count": total,
        "repository": repository_json(links, repository),
        "commit_url": commit,
        "url": f"{commit}/status",
    }
