"""Webhooks, and the queue of what they are owed. A delivery is a row of the change that it tells of."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence

from bot.trackers.embedded import rows
from bot.trackers.embedded.act import Act
from bot.trackers.embedded.faults import invalid, not_found
from bot.trackers.embedded.shapes.hooks import hook_json, minimal_installation_json
from bot.trackers.embedded.shapes.people import Json, user_json
from bot.trackers.embedded.shapes.repositories import repository_json
from bot.trackers.embedded.values import Delivery, Hook, Listed, Repository, Window

ALL_EVENTS = ("*",)
_NEWEST = 2**62


async def create(
    act: Act, repository: Repository, *, url: str, secret: str, events: Sequence[str], active: bool
) -> Hook:
    """Add a webhook and queue its ``ping``. Raises ``RefusedError`` (422) for an address that is not HTTP."""
    if not url.startswith(("http://", "https://")):
        raise invalid("Hook", "url")
    identity = await act.tx.next_id()
    await act.tx.run(
        "hook_insert",
        id=identity,
        repository=repository.id,
        url=url,
        secret=secret,
        events=json.dumps(list(events)),
        active=active,
        now=act.now,
    )
    hook = await find(act, repository, identity)
    if active:
        shape = hook_json(act.links, repository, hook)
        body: Json = {"zen": "Keep it logically awesome.", "hook_id": hook.id, "hook": shape}
        payload = _payload(act, repository, body)
        await queue(act, hook, event="ping", action=None, payload=payload, repository=repository)
    return hook


async def find(act: Act, repository: Repository, identity: int) -> Hook:
    """Return the webhook. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("hook_by_id", repository=repository.id, id=identity)
    if row is None:
        raise not_found()
    return rows.hook(row)


async def hooks_of(act: Act, repository: Repository, window: Window) -> Listed[Hook]:
    """Return the webhooks of a repository, oldest first."""
    found = await act.tx.all("hooks_list", repository=repository.id, limit=window.limit, offset=window.offset)
    return rows.listed(found, rows.hook)


async def set_active(act: Act, repository: Repository, identity: int, *, active: bool) -> Hook:
    """Switch a webhook on or off. What was queued before is still sent. Raises ``RefusedError`` (404)."""
    await find(act, repository, identity)
    await act.tx.run("hook_active", id=identity, active=active, now=act.now)
    return await find(act, repository, identity)


async def emit(act: Act, repository: Repository, event: str, action: str | None, body: Json) -> None:
    """Queue an event, as it is now, for every active webhook that listens to it; a few kinds have no action."""
    body = body if action is None else {"action": action, **body}
    listening = await act.tx.all("hooks_listening", repository=repository.id, event=event)
    if listening:
        payload = _payload(act, repository, body)
        for row in listening:
            await queue(act, rows.hook(row), event=event, action=action, payload=payload, repository=repository)
    for row in await act.tx.all("app_hooks_listening", repository=repository.id, event=event):
        installation: int = row["installation"]
        told = {**body, "installation": minimal_installation_json(installation)}
        payload = _payload(act, repository, told)
        await queue(
            act,
            rows.hook(row),
            event=event,
            action=action,
            payload=payload,
            repository=repository,
            installation=installation,
        )


def _payload(act: Act, repository: Repository, body: Json) -> str:
    sender = user_json(act.links, act.actor)
    return json.dumps({**body, "repository": repository_json(act.links, repository), "sender": sender})


async def queue(
    act: Act,
    hook: Hook,
    *,
    event: str,
    action: str | None,
    payload: str,
    repository: Repository | None = None,
    installation: int | None = None,
) -> None:
    """Queue one event for one webhook."""
    await act.tx.run(
        "delivery_insert",
        id=await act.tx.next_id(),
        hook=hook.id,
        guid=str(uuid.uuid4()),
        event=event,
        action=action,
        payload=payload,
        redelivery=False,
        repository=None if repository is None else repository.id,
        installation=installation,
        now=act.now,
    )


async def deliveries(act: Act, hook: Hook, *, before: int | None, limit: int) -> tuple[Delivery, ...]:
    """Return attempted deliveries, newest first, of those older than the id ``before``."""
    found = await act.tx.all("deliveries_list", hook=hook.id, before=before or _NEWEST, limit=limit)
    return tuple(rows.delivery(row) for row in found)


async def delivery(act: Act, hook: Hook, identity: int) -> Delivery:
    """Return a delivery of the webhook. Raises ``RefusedError`` (404)."""
    row = await act.tx.one("delivery_by_id", hook=hook.id, id=identity)
    if row is None:
        raise not_found()
    return rows.delivery(row)


async def redeliver(act: Act, hook: Hook, identity: int) -> None:
    """Queue a delivery again: the same event with the same guid. Raises ``RefusedError`` (404)."""
    earlier = await delivery(act, hook, identity)
    await act.tx.run(
        "delivery_insert",
        id=await act.tx.next_id(),
        hook=hook.id,
        guid=earlier.guid,
        event=earlier.event,
        action=earlier.action,
        payload=earlier.payload,
        redelivery=True,
        repository=earlier.repository_id,
        installation=earlier.installation_id,
        now=act.now,
    )
