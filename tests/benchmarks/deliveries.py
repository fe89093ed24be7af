"""Signed deliveries of ``issues.labeled`` as the tracker sends them: 12 KB each, most of it addresses."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from webhooks.signature import sign

BYTES = 12 * 1024
VARIANTS = 64
"""How many different issues are labelled."""

_API = "https://api.tracker.example"
_OF_ACCOUNT = "avatar html followers following gists starred subscriptions organizations repos events received_events"
_OF_REPOSITORY = (
    "html forks keys collaborators teams hooks issue_events events assignees branches tags blobs git_tags git_refs "
    "trees statuses languages stargazers contributors subscribers subscription commits git_commits comments "
    "issue_comment contents compare merges archive downloads issues pulls milestones notifications labels releases "
    "deployments git ssh clone svn"
)
_OF_ISSUE = "repository labels comments events html timeline"
_OF_ORGANIZATION = "repos events hooks issues members avatar"
_REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


@dataclass(frozen=True, kw_only=True)
class Post:
    """A request that lacks only its delivery id, which the signature does not cover."""

    head: bytes
    body: bytes

    def request(self) -> bytes:
        """Return the bytes of a delivery that was never sent before."""
        return b"%sx-github-delivery: %s\r\n\r\n%s" % (self.head, str(uuid.uuid4()).encode(), self.body)


def posts(secret: bytes) -> list[Post]:
    """Return a post for each of some issues, signed with the secret."""
    return [_post(payload(number), secret) for number in range(1, VARIANTS + 1)]


def _post(body: bytes, secret: bytes) -> Post:
    headers = {
        b"host": b"127.0.0.1",
        b"user-agent": b"GitHub-Hookshot/benchmark",
        b"accept": b"*/*",
        b"content-type": b"application/json",
        b"content-length": str(len(body)).encode(),
        b"x-github-event": b"issues",
        b"x-github-hook-id": b"99",
        b"x-hub-signature-256": sign(body, secret),
    }
    lines = b"".join(b"%s: %s\r\n" % entry for entry in headers.items())
    return Post(head=b"POST /webhooks/github HTTP/1.1\r\n" + lines, body=body)


def payload(number: int) -> bytes:
    """Return the payload of an issue that was given a label, filled up to ``BYTES`` by the issue's text."""
    document = _document(number, "")
    missing = BYTES - len(_encoded(document))
    text = "The log-in page shows an error since the last release. "
    return _encoded(_document(number, (text * (missing // len(text) + 1))[: max(missing, 0)]))


def _encoded(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()


def _document(number: int, body: str) -> Mapping[str, object]:
    url = f"{_API}/repos/acme/shop/issues/{number}"
    label = {"id": 3, "node_id": "LA_x", "url": f"{url}/labels/run", "name": "run:work-issue", "color": "ededed"}
    return {
        "action": "labeled",
        "issue": {
            "id": 900_000 + number,
            "node_id": f"I_{number}",
            "number": number,
            "title": f"Log-in is broken ({number})",
            "body": body,
            "user": _account("ann", 11),
            "labels": [{**label, "name": name} for name in ("bug", "area:login", "run:work-issue")],
            "assignee": _account("bob", 12),
            "assignees": [_account("bob", 12)],
            "state": "open",
            "locked": False,
            "comments": 3,
            "reactions": {"url": f"{url}/reactions", "total_count": 0, **dict.fromkeys(_REACTIONS, 0)},
            "created_at": "2026-03-01T10:00:00Z",
            "updated_at": "2026-03-01T10:05:00Z",
            "closed_at": None,
            **_urls(_OF_ISSUE, url),
        },
        "label": label,
        "repository": {
            "id": 7001,
            "node_id": "R_x",
            "name": "shop",
            "full_name": "acme/shop",
            "private": True,
            "owner": _account("acme", 70, kind="Organization"),
            "default_branch": "main",
            "size": 4096,
            "topics": ["shop", "web"],
            **_urls(_OF_REPOSITORY, f"{_API}/repos/acme/shop"),
        },
        "organization": {"login": "acme", "id": 70, **_urls(_OF_ORGANIZATION, f"{_API}/orgs/acme")},
        "sender": _account("ann", 11),
        "installation": {"id": 5, "node_id": "I_x"},
    }


def _account(login: str, identity: int, *, kind: str = "User") -> Mapping[str, object]:
    own: Mapping[str, object] = {"login": login, "id": identity, "node_id": "U_x", "type": kind, "site_admin": False}
    return {**own, **_urls(_OF_ACCOUNT, f"{_API}/users/{login}")}


def _urls(names: str, base: str) -> Mapping[str, object]:
    return {f"{name}_url": f"{base}/{name}" for name in names.split()}
