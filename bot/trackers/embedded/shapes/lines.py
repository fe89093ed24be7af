"""Comments on lines as JSON."""

from __future__ import annotations

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.issues import rollup
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.values import LineComment, Repository


def line_json(links: Links, repository: Repository, number: int, comment: LineComment) -> Json:
    """Return a comment on a line; the tracker keeps no diffs, so that its place within one is always the first."""
    url = links.api(repository, "pulls", "comments", comment.id)
    pull = links.api(repository, "pulls", number)
    page = links.thread_page(repository, number, pull=True, anchor=f"discussion_r{comment.id}")
    return {
        "id": comment.id,
        "node_id": node_id("PullRequestReviewComment", comment.id),
        "pull_request_review_id": comment.review_id,
        "url": url,
        "html_url": page,
        "pull_request_url": pull,
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
        "user": user_json(links, comment.author),
        "author_association": comment.association,
        "body": comment.body,
        "path": comment.path,
        "line": comment.line,
        "original_line": comment.line,
        "start_line": None,
        "original_start_line": None,
        "start_side": None,
        "side": "RIGHT",
        "subject_type": "line",
        "position": 1,
        "original_position": 1,
        "diff_hunk": f"@@ -{comment.line} +{comment.line} @@",
        "commit_id": comment.commit_id,
        "original_commit_id": comment.commit_id,
        "created_at": iso(comment.created_at),
        "updated_at": iso(comment.updated_at),
        "reactions": rollup(url, {}),
    }
