"""Issues, comments, reactions and history as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id, user_json
from bot.trackers.embedded.shapes.repositories import label_json
from bot.trackers.embedded.values import Comment, HistoryEntry, Reaction, Repository, Thread

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def issue_json(links: Links, repository: Repository, thread: Thread) -> Json:
    """Return an issue, or the issue side of a pull request."""
    url = links.api(repository, "issues", thread.number)
    return {
        "id": thread.id,
        "node_id": node_id("Issue", thread.id),
        "url": url,
        "repository_url": links.api(repository),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": links.thread_page(repository, thread.number, pull=thread.pull),
        "number": thread.number,
        "title": thread.title,
        "body": thread.body,
        "user": user_json(links, thread.author),
        "author_association": thread.association,
        "labels": [label_json(links, repository, label) for label in thread.labels],
        "state": "open" if thread.open else "closed",
        "state_reason": thread.state_reason,
        "locked": thread.locked,
        "active_lock_reason": None,
        "assignee": next((user_json(links, each) for each in thread.assignees), None),
        "assignees": [user_json(links, each) for each in thread.assignees],
        "milestone": None,
        "comments": thread.comment_count,
        "reactions": rollup(url, thread.reactions),
        "created_at": iso(thread.created_at),
        "updated_at": iso(thread.updated_at),
        "closed_at": iso(thread.closed_at),
        "closed_by": None if thread.closed_by is None else user_json(links, thread.closed_by),
        "performed_via_github_app": None,
        **_pull_request(links, repository, thread),
    }


def _pull_request(links: Links, repository: Repository, thread: Thread) -> Json:
    if not thread.pull:
        return {}
    page = links.thread_page(repository, thread.number, pull=True)
    addresses: Json = {
        "url": links.api(repository, "pulls", thread.number),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "merged_at": iso(thread.merged_at),
    }
    return {"draft": thread.draft, "pull_request": addresses}


def comment_json(links: Links, repository: Repository, comment: Comment) -> Json:
    """Return a comment."""
    url = links.api(repository, "issues", "comments", comment.id)
    anchor = f"issuecomment-{comment.id}"
    return {
        "id": comment.id,
        "node_id": node_id("IssueComment", comment.id),
        "url": url,
        "html_url": links.thread_page(repository, comment.number, pull=comment.on_pull, anchor=anchor),
        "issue_url": links.api(repository, "issues", comment.number),
        "body": comment.body,
        "user": user_json(links, comment.author),
        "author_association": comment.association,
        "reactions": rollup(url, comment.reactions),
        "created_at": iso(comment.created_at),
        "updated_at": iso(comment.updated_at),
        "performed_via_github_app": None,
    }


def rollup(url: str, counts: Mapping[str, int]) -> Json:
    """Return how often each reaction was given."""
    total = sum(counts.values())
    return {"url": f"{url}/reactions", "total_count": total, **{name: counts.get(name, 0) for name in REACTIONS}}


def reaction_json(links: Links, reaction: Reaction) -> Json:
    """Return a reaction."""
    return {
        "id": reaction.id,
        "node_id": node_id("Reaction", reaction.id),
        "user": user_json(links, reaction.account),
        "content": reaction.content,
        "created_at": iso(reaction.created_at),
    }


def event_json(links: Links, repository: Repository, entry: HistoryEntry) -> Json:
    """Return an entry of a thread's history."""
    commit = entry.commit_id
    return {
        "id": entry.id,
        "node_id": node_id("IssueEvent", entry.id),
        "url": links.api(repository, "issues", "events", entry.id),
        "actor": user_json(links, entry.actor),
        "event": entry.kind,
        "commit_id": commit,
        "commit_url": None if commit is None else links.api(repository, "commits", commit),
        "created_at": iso(entry.created_at),
        "performed_via_github_app": None,
        **entry.detail,
    }
