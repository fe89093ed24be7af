"""Installation tokens as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from bot.trackers.embedded.access import Access
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json
from bot.trackers.embedded.shapes.repositories import repository_json
from bot.trackers.embedded.values import Repository


def token_json(links: Links, token: str, access: Access, chosen: Sequence[Repository]) -> Json:
    """Return an installation token; the repositories are told where it does not reach all."""
    selected = access.repositories is not None
    shape: Json = {
        "token": token,
        "expires_at": iso(access.expires_at),
        "permissions": dict(access.permissions),
        "repository_selection": "selected" if selected else access.installation.selection,
    }
    if selected:
        shape["repositories"] = [repository_json(links, each) for each in chosen]
    return shape
