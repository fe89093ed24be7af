"""Payloads as GitHub sends them, cut down to what stands around the fields in use. All of it is made up."""

from __future__ import annotations

from typing import Any

Payload = dict[str, Any]

REPOSITORY_ID = 7001
FORK_ID = 7999
HEAD_SHA = "a1" * 20


def account(login: str = "ann", identity: int = 11, kind: str = "User") -> Payload:
    return {"login": login, "id": identity, "node_id": "U_x", "type": kind, "site_admin": False}


def repository() -> Payload:
    return {
        "id": REPOSITORY_ID,
        "node_id": "R_x",
        "name": "shop",
        "full_name": "acme/shop",
        "private": True,
        "owner": account("acme", 70, "Organization"),
        "default_branch": "main",
    }


def envelope(action: str) -> Payload:
    return {
        "action": action,
        "repository": repository(),
        "organization": {"login": "acme", "id": 70},
        "sender": account(),
        "installation": {"id": 5, "node_id": "I_x"},
    }


def issue(number: int = 42, *, pull_request: bool = False) -> Payload:
    found: Payload = {
        "id": 900_042,
        "number": number,
        "title": "Log-in is broken",
        "body": "Since yesterday. 🙂",
        "state": "open",
        "user": account(),
        "labels": [{"id": 1, "name": "documentation"}, {"id": 2, "name": "run:work-issue"}],
        "updated_at": "2026-03-01T10:00:00Z",
    }
    if pull_request:
        found["pull_request"] = {"url": "https://api.example/pulls/42", "merged_at": None}
    return found


def issues(action: str, *, label: str | None = None) -> Payload:
    found = envelope(action) | {"issue": issue()}
    return found if label is None else found | {"label": {"id": 3, "name": label, "color": "ededed"}}


def comment(
    action: str = "created", *, body: str = "/approve", previous: str | None = None, pull_request: bool = False
) -> Payload:
    found = envelope(action) | {
        "issue": issue(pull_request=pull_request),
        "comment": {
            "id": 555,
            "node_id": "IC_x",
            "user": account(),
            "body": body,
            "created_at": "2026-03-01T10:00:00Z",
            "updated_at": "2026-03-01T10:00:00Z" if action == "created" else "2026-03-01T10:05:00Z",
            "author_association": "MEMBER",
            "performed_via_github_app": None,
        },
    }
    return found if previous is None else found | {"changes": {"body": {"from": previous}}}


def pull(*, fork: bool = False) -> Payload:
    head = repository() | {"id": FORK_ID if fork else REPOSITORY_ID}
    return {
        "id": 800_057,
        "number": 57,
        "title": "Fix log-in",
        "state": "open",
        "draft": False,
        "user": account("trackside[bot]", 12, "Bot"),
        "head": {"label": "acme:fix", "ref": "trackside/42-fix", "sha": HEAD_SHA, "repo": head},
        "base": {"label": "acme:main", "ref": "main", "sha": "b2" * 20, "repo": repository()},
    }


def pull_request(action: str = "opened", *, fork: bool = False, merged: bool = False) -> Payload:
    closed = action == "closed"
    found = pull(fork=fork) | {"merged": merged, "state": "closed" if closed else "open", "commits": 2}
    return envelope(action) | {"number": 57, "pull_request": found}


def review(action: str = "submitted", *, state: str = "approved", body: str | None = None) -> Payload:
    return envelope(action) | {
        "pull_request": pull(),
        "review": {
            "id": 333,
            "user": account("rev", 21),
            "body": body,
            "state": state,
            "commit_id": HEAD_SHA,
            "submitted_at": "2026-03-02T08:30:15Z",
        },
    }


def ping() -> Payload:
    return {"zen": "Keep it small.", "hook_id": 99, "hook": {"type": "Repository", "id": 99}}
