"""The payloads of webhooks: of what the tracker sends, the fields that say something here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.clock import Millis
from bot.trackers.contract import Comment, LineComment, Person, Review
from tests.simulation.tracker.state import BASE, Item, Place, Pull
from webhooks.signature import sign

SECRET = b"a secret of the simulation"


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """One delivery; ``guid`` stays the same when it is sent again."""

    guid: str
    event: str
    action: str
    payload: bytes

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Return the headers of its request, as ASGI has them."""
        return [
            (b"content-type", b"application/json"),
            (b"x-github-event", self.event.encode()),
            (b"x-github-delivery", self.guid.encode()),
            (b"x-hub-signature-256", sign(self.payload, SECRET)),
        ]


def issue(place: Place, item: Item, action: str, identity: int) -> Delivery:
    """Return what is sent of an issue."""
    return _delivery("issues", action, identity, place, issue={"number": item.number})


def comment(
    place: Place, item: Item, said: Comment, action: str, identity: int, *, before: str | None = None
) -> Delivery:
    """Return what is sent of a comment."""
    about: dict[str, object] = {"number": item.number}
    if item.is_pull_request:
        about["pull_request"] = {}
    written = {
        "id": said.id,
        "user": _account(said.author),
        "body": said.body,
        "created_at": _moment(said.created_at),
        "updated_at": _moment(said.updated_at),
    }
    changes = {} if before is None else {"body": {"from": before}}
    return _delivery("issue_comment", action, identity, place, issue=about, comment=written, changes=changes)


def line(place: Place, pull: Pull, said: LineComment, given: Review, identity: int) -> Delivery:
    """Return what is sent of a comment on a line."""
    written = {"id": said.id, "pull_request_review_id": given.id}
    about = _pull(place, pull)
    event = "pull_request_review_comment"
    return _delivery(event, "created", identity, place, pull_request=about, comment=written)


def review(place: Place, pull: Pull, given: Review, action: str, identity: int) -> Delivery:
    """Return what is sent of a review."""
    written = {
        "id": given.id,
        "user": _account(given.author),
        "body": given.body,
        "state": given.verdict.value,
        "commit_id": given.commit,
        "submitted_at": _moment(given.submitted_at),
    }
    about = _pull(place, pull)
    return _delivery("pull_request_review", action, identity, place, pull_request=about, review=written)


def pull(place: Place, changed: Pull, action: str, sender: Person, identity: int) -> Delivery:
    """Return what is sent of a pull request."""
    about = _pull(place, changed)
    return _delivery("pull_request", action, identity, place, pull_request=about, sender=_account(sender))


def _delivery(event: str, action: str, identity: int, place: Place, **parts: object) -> Delivery:
    owner = {"id": place.owner_id, "login": place.owner, "type": "Organization"}
    repository = {"id": place.id, "name": place.name, "owner": owner}
    document = {"action": action, "repository": repository, **parts}
    payload = json.dumps(document).encode()
    return Delivery(guid=f"delivery-{identity}", event=event, action=action, payload=payload)


def _account(person: Person) -> Mapping[str, object]:
    return {"id": person.id, "login": person.login, "type": "Bot" if person.bot else "User"}


def _pull(place: Place, changed: Pull) -> Mapping[str, object]:
    return {
        "number": changed.item.number,
        "head": {"ref": changed.head_ref, "sha": changed.head_sha, "repo": {"id": place.id}},
        "user": _account(changed.item.author),
        "state": "open" if changed.item.open else "closed",
        "merged": changed.merged,
        "base": {"ref": BASE},
    }


def _moment(moment: Millis) -> str:
    return datetime.fromtimestamp(moment / 1000, tz=UTC).isoformat()
