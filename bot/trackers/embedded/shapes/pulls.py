"""Pull requests and reviews as JSON."""

from __future__ import annotations

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.issues import issue_json
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.shapes.repositories import repository_json
from bot.trackers.embedded.values import Pull, Repository, Review, Thread

_SHARED = (
    "number",
    "title",
    "body",
    "user",
    "author_association",
    "labels",
    "state",
    "locked",
    "active_lock_reason",
    "assignee",
    "assignees",
    "milestone",
    "created_at",
    "updated_at",
    "closed_at",
)


def pull_json(links: Links, repository: Repository, thread: Thread, pull: Pull) -> Json:
    """Return a pull request as it stands in lists."""
    issue = issue_json(links, repository, thread)
    url = links.api(repository, "pulls", pull.number)
    page = links.thread_page(repository, pull.number, pull=True)
    addresses = {
        "html": page,
        "issue": str(issue["url"]),
        "comments": str(issue["comments_url"]),
        "review_comments": f"{url}/comments",
        "review_comment": links.api(repository, "pulls", "comments") + "{/number}",
        "commits": f"{url}/commits",
        "statuses": links.api(repository, "statuses", pull.head_sha),
    }
    return {
        "id": pull.id,
        "node_id": node_id("PullRequest", pull.id),
        "url": url,
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        **{f"{name}_url": address for name, address in addresses.items() if name != "html"},
        **{name: issue[name] for name in _SHARED},
        "draft": pull.draft,
        "merged_at": iso(pull.merged_at),
        "merge_commit_sha": pull.merge_sha,
        "auto_merge": None,
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _branch(links, repository, pull.head_ref, pull.head_sha),
        "base": _branch(links, repository, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": address} for name, address in {"self": url, **addresses}.items()},
    }


def full_pull_json(links: Links, repository: Repository, thread: Thread, pull: Pull) -> Json:
    """Return a pull request as its own address and webhooks tell it."""
    measure = pull.measure
    mergeable = measure.mergeable if thread.open else None
    return {
        **pull_json(links, repository, thread, pull),
        "merged": pull.merged_at is not None,
        "merged_by": None if pull.merged_by is None else user_json(links, pull.merged_by),
        "mergeable": mergeable,
        "rebaseable": False,
        "mergeable_state": _mergeable_state(thread, pull),
        "comments": thread.comment_count,
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": measure.commits,
        "additions": measure.additions,
        "deletions": measure.deletions,
        "changed_files": measure.changed_files,
    }


def _mergeable_state(thread: Thread, pull: Pull) -> str:
    if not thread.open:
        return "unknown"
    if not pull.measure.mergeable:
        return "dirty"
    return "draft" if pull.draft else "clean"


def _branch(links: Links, repository: Repository, ref: str, sha: str) -> Json:
    return {
        "label": f"{repository.owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user_json(links, repository.owner),
        "repo": repository_json(links, repository),
    }


def review_json(links: Links, repository: Repository, number: int, review: Review) -> Json:
    """Return a review as REST tells it."""
    page = links.thread_page(repository, number, pull=True, anchor=f"pullrequestreview-{review.id}")
    url = links.api(repository, "pulls", number)
    return {
        "id": review.id,
        "node_id": node_id("PullRequestReview", review.id),
        "user": user_json(links, review.author),
        "body": review.body,
        "state": review.state.value,
        "html_url": page,
        "pull_request_url": url,
        "author_association": review.association,
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": iso(review.submitted_at),
        "commit_id": review.commit_id,
    }


def review_payload(links: Links, repository: Repository, number: int, review: Review) -> Json:
    """Return a review as webhooks tell it: the state is in lower case there, an empty text is null."""
    shape = review_json(links, repository, number, review)
    return {**shape, "state": review.state.value.lower(), "body": review.body or None}
