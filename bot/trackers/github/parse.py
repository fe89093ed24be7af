"""From the API's JSON to the contract's values: only the fields in use, so that new ones never break anything."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.clock import Millis
from bot.domain.permission import Permission
from bot.trackers.contract import (
    Comment,
    Issue,
    IssueEvent,
    Person,
    PullRequest,
    Repository,
    Review,
    Verdict,
)

Json = Mapping[str, Any]

GHOST = Person(id=10137, login="ghost")
"""Who the tracker shows in place of an account that was deleted."""

_LEGACY = {
    "admin": Permission.ADMIN,
    "maintain": Permission.MAINTAIN,
    "write": Permission.WRITE,
    "triage": Permission.TRIAGE,
    "read": Permission.READ,
    "none": Permission.NONE,
}


def moment(text: str) -> Millis:
    """Return a moment such as ``2026-12-01T12:00:00Z``."""
    return Millis(round(datetime.fromisoformat(text).timestamp() * 1000))


def person(document: Json | None) -> Person:
    """Return an account; a deleted one is the ghost."""
    if document is None:
        return GHOST
    login = document["login"]
    return Person(id=document["id"], login=login, bot=document.get("type") == "Bot" or login.endswith("[bot]"))


def permission(document: Json) -> Permission:
    """
    Return a collaborator's permission (ag-D02).

    The role's name is finer than the old permission word; a role that an organisation made itself is known by
    the old word alone.
    """
    role = _LEGACY.get(document.get("role_name") or "")
    return role if role is not None else _LEGACY.get(document["permission"], Permission.NONE)


def repository(document: Json) -> Repository:
    """Return a repository."""
    return Repository(
        id=document["id"],
        owner=document["owner"]["login"],
        owner_id=document["owner"]["id"],
        name=document["name"],
        default_branch=document["default_branch"],
        clone_url=document["clone_url"],
    )


def issue(document: Json) -> Issue:
    """Return an issue, or the issue side of a pull request."""
    return Issue(
        number=document["number"],
        title=document["title"],
        body=document["body"] or "",
        open=document["state"] == "open",
        locked=document.get("locked", False),
        labels=tuple(label if isinstance(label, str) else label["name"] for label in document["labels"]),
        author=person(document["user"]),
        is_pull_request=document.get("pull_request") is not None,
        updated_at=moment(document["updated_at"]),
        url=document["html_url"],
    )


def issue_event(document: Json, number: int) -> IssueEvent:
    """Return an entry of an issue's history."""
    actor, label = document.get("actor"), document.get("label")
    return IssueEvent(
        id=document["id"],
        number=number,
        kind=document["event"],
        actor=None if actor is None else person(actor),
        label=None if label is None else label["name"],
        created_at=moment(document["created_at"]),
    )


def comment(document: Json) -> Comment:
    """Return a comment; its thread's number is the end of its issue's address."""
    return Comment(
        id=document["id"],
        number=int(document["issue_url"].rpartition("/")[2]),
        body=document["body"] or "",
        author=person(document["user"]),
        created_at=moment(document["created_at"]),
        updated_at=moment(document["updated_at"]),
    )


def review(document: Json, number: int) -> Review:
    """Return a submitted review."""
    return Review(
        id=document["id"],
        number=number,
        body=document["body"] or "",
        author=person(document["user"]),
        verdict=Verdict(document["state"].lower()),
        commit=document["commit_id"] or "",
        submitted_at=moment(document["submitted_at"]),
    )


def pull_request(document: Json) -> PullRequest:
    """Return a pull request. A list does not say ``merged``, but when."""
    return PullRequest(
        number=document["number"],
        title=document["title"],
        body=document["body"] or "",
        open=document["state"] == "open",
        merged=document.get("merged_at") is not None,
        draft=document.get("draft", False),
        head_ref=document["head"]["ref"],
        head_sha=document["head"]["sha"],
        base_ref=document["base"]["ref"],
        author=person(document["user"]),
        url=document["html_url"],
    )
