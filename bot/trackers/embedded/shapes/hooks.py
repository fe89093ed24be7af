"""Webhooks and their deliveries as JSON."""

from __future__ import annotations

import json

from bot.clock import SECOND
from bot.trackers.embedded.links import Links
from bot.trackers.embedded.moments import iso
from bot.trackers.embedded.shapes.people import Json, node_id
from bot.trackers.embedded.values import Delivery, Hook, Repository


def hook_json(links: Links, repository: Repository, hook: Hook) -> Json:
    """Return a webhook; its secret never leaves the tracker."""
    url = links.api(repository, "hooks", hook.id)
    return {
        "type": "Repository",
        "id": hook.id,
        "name": "web",
        "active": hook.active,
        "events": list(hook.events),
        "config": {"url": hook.url, "content_type": "json", "insecure_ssl": "0", "secret": "********"},
        "created_at": iso(hook.created_at),
        "updated_at": iso(hook.updated_at),
        "url": url,
        "test_url": f"{url}/test",
        "ping_url": f"{url}/pings",
        "deliveries_url": f"{url}/deliveries",
        "last_response": {"code": None, "status": "unused", "message": None},
    }


def minimal_installation_json(installation: int) -> Json:
    """Return the installation of an App as the events of repositories tell it."""
    return {"id": installation, "node_id": node_id("IntegrationInstallation", installation)}


def delivery_json(delivery: Delivery) -> Json:
    """Return a delivery as it stands in lists."""
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": iso(delivery.delivered_at),
        "redelivery": delivery.redelivery,
        "duration": (delivery.duration or 0) / SECOND,
        "status": delivery.status or "pending",
        "status_code": delivery.status_code or 0,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


def full_delivery_json(delivery: Delivery, headers: dict[str, str]) -> Json:
    """Return a delivery with what was sent and what was answered."""
    return {
        **delivery_json(delivery),
        "url": delivery.url,
        "request": {"headers": headers, "payload": json.loads(delivery.payload)},
        "response": {"headers": {}, "payload": delivery.response},
    }
