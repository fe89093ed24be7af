"""Answers as GitHub gives them, cut to the fields that matter and a few that do not."""

from __future__ import annotations

from typing import Any

BASE = "https://tracker.test"
REPO = "acme/shop"
API = f"{BASE}/repos/{REPO}"
WHEN = "2026-12-01T12:00:00Z"

Json = dict[str, Any]


def account(login: str = "ada", **fields: object) -> Json:
    return {"id": 7, "login": login, "type": "User", "site_admin": False, **fields}


def repository(name: str = "shop", **fields: object) -> Json:
    return {
        "id": 11,
        "name": name,
        "owner": account("acme", id=5, type="Organization"),
        "default_branch": "main",
        "clone_url": f"https://tracker.test/acme/{name}.git",
        **fields,
    }


def issue(number: int = 1, **fields: object) -> Json:
    return {
        "id": 9000 + number,
        "number": number,
        "title": f"Issue {number}",
        "body": None,
        "state": "open",
        "locked": False,
        "labels": [],
        "user": account(),
        "author_association": "OWNER",
        "updated_at": WHEN,
        "html_url": f"{BASE}/{REPO}/issues/{number}",
        "repository_url": API,
        **fields,
    }


def event(identity: int, **fields: object) -> Json:
    return {
        "id": identity,
        "event": "labeled",
        "actor": account(),
        "label": {"name": "run:work", "color": "ededed"},
        "created_at": WHEN,
        **fields,
    }


def comment(identity: int, **fields: object) -> Json:
    return {
        "id": identity,
        "issue_url": f"{API}/issues/3",
        "body": f"Comment {identity}",
        "user": account(),
        "author_association": "OWNER",
        "created_at": WHEN,
        "updated_at": WHEN,
        **fields,
    }


def review(identity: int, state: str, **fields: object) -> Json:
    return {
        "id": identity,
        "state": state,
        "body": "",
        "commit_id": "c0ffee",
        "user": account(),
        "submitted_at": WHEN,
        **fields,
    }


def pull(number: int, *, source: int | None = 11, ref: str = "fix", **fields: object) -> Json:
    return {
        "number": number,
        "title": "Fix",
        "body": None,
        "state": "open",
        "draft": False,
        "merged_at": None,
        "head": {"ref": ref, "sha": "c0ffee", "repo": None if source is None else {"id": source}},
        "base": {"ref": "main", "repo": {"id": 11}},
        "user": account(),
        "html_url": f"{BASE}/{REPO}/pull/{number}",
        **fields,
    }
