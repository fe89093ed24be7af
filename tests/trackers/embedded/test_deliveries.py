"""Webhooks: signatures, order, failures and redelivery."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import uuid

import httpx
import pytest

from tests.trackers.embedded.conftest import HOOK_URL, REPO, World

HOOKS = f"/repos/{REPO}/hooks"


async def test_a_delivery_is_signed_over_its_very_bytes(world: World) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Grüße")
    await world.told()

    (delivery,) = world.receiver.received
    expected = hmac.new(world.secret.encode(), delivery.body, hashlib.sha256).hexdigest()
    assert delivery.headers["X-Hub-Signature-256"] == f"sha256={expected}"
    assert delivery.headers["X-GitHub-Hook-ID"] == str(world.hook)
    assert delivery.headers["Content-Type"] == "application/json"
    assert delivery.headers["User-Agent"].startswith("GitHub-Hookshot/")
    assert str(uuid.UUID(delivery.guid)) == delivery.guid


async def test_deliveries_arrive_in_the_order_of_what_happened(world: World) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", labels=["a"])
    await world.tracker.comment(REPO, 1, "hello", by="ben")
    await world.tracker.close(REPO, 1, by="ada")

    assert await world.told() == ["issues.opened", "issues.labeled", "issue_comment.created", "issues.closed"]
    assert len({each.guid for each in world.receiver.received}) == 4


async def test_a_failed_delivery_stays_listed_and_is_sent_again_with_the_same_guid(
    world: World, ada: httpx.AsyncClient
) -> None:
    world.receiver.answers = 500
    await world.tracker.open_issue(REPO, by="ada", title="One")
    assert await world.told() == ["issues.opened"]
    (first,) = world.receiver.received
    (listed, _ping) = (await ada.get(f"{HOOKS}/{world.hook}/deliveries")).json()
    assert await world.told() == [], "nothing is tried again by itself"
    world.receiver.answers = 202

    answer = await ada.post(f"{HOOKS}/{world.hook}/deliveries/{listed['id']}/attempts")

    assert (listed["status_code"], listed["status"]) == (500, "Invalid HTTP Response: 500")
    assert answer.status_code == 202
    assert await world.told() == ["issues.opened"]
    (second,) = world.receiver.received
    assert (second.guid, second.body) == (first.guid, first.body)
    newest = (await ada.get(f"{HOOKS}/{world.hook}/deliveries")).json()[0]
    assert (newest["redelivery"], newest["guid"], newest["status"]) == (True, first.guid, "OK")


async def test_a_receiver_that_is_down_is_recorded_and_holds_up_nothing(world: World) -> None:
    world.receiver.answers = None
    await world.tracker.open_issue(REPO, by="ada", title="One")
    assert await world.tracker.deliver_pending() == 1
    world.receiver.answers = 202
    await world.tracker.comment(REPO, 1, "hello", by="ben")

    assert await world.told() == ["issue_comment.created"]
    failed = (await world.tracker.deliveries(REPO, world.hook))[1]
    assert (failed.event, failed.status_code, failed.status) == ("issues", 0, "failed to connect")


async def test_a_delivery_shows_what_was_sent_and_answered(world: World, ada: httpx.AsyncClient) -> None:
    (ping,) = (await ada.get(f"{HOOKS}/{world.hook}/deliveries")).json()

    shown = (await ada.get(f"{HOOKS}/{world.hook}/deliveries/{ping['id']}")).json()

    assert shown["request"]["payload"]["hook_id"] == world.hook
    assert shown["request"]["headers"]["X-GitHub-Delivery"] == ping["guid"]
    assert shown["response"]["payload"] == "thanks"
    assert world.secret not in str(shown)


async def test_deliveries_are_listed_by_cursor(world: World, ada: httpx.AsyncClient) -> None:
    for number in range(3):
        await world.tracker.open_issue(REPO, by="ada", title=f"Issue {number}")
    await world.told()

    first = await ada.get(f"{HOOKS}/{world.hook}/deliveries", params={"per_page": "3"})
    rest = await ada.get(first.links["next"]["url"])

    assert [each["event"] for each in first.json() + rest.json()] == ["issues", "issues", "issues", "ping"]
    assert "next" not in rest.links


async def test_an_inactive_hook_is_told_nothing(world: World) -> None:
    await world.tracker.set_hook_active(REPO, world.hook, active=False)
    await world.tracker.open_issue(REPO, by="ada", title="In silence")
    assert await world.told() == []

    await world.tracker.set_hook_active(REPO, world.hook, active=True)
    await world.tracker.comment(REPO, 1, "aloud", by="ada")
    assert await world.told() == ["issue_comment.created"]


async def test_a_hook_hears_only_what_it_listens_to(world: World, ada: httpx.AsyncClient) -> None:
    await world.tracker.set_hook_active(REPO, world.hook, active=False)
    config = {"url": HOOK_URL, "content_type": "json", "secret": world.secret}

    created = await ada.post(HOOKS, json={"config": config, "events": ["issue_comment"]})
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.tracker.comment(REPO, 1, "hello", by="ben")

    assert created.status_code == 201
    assert world.secret not in created.text
    assert await world.told() == ["ping", "issue_comment.created"]


async def test_who_does_not_administer_finds_no_hooks(world: World, bot: httpx.AsyncClient) -> None:
    assert (await bot.get(HOOKS)).status_code == 404
    assert (await bot.get(f"{HOOKS}/{world.hook}/deliveries")).status_code == 404


async def test_a_change_that_is_rolled_back_tells_nobody(world: World, bot: httpx.AsyncClient) -> None:
    refused = await bot.post(f"/repos/{REPO}/issues", json={"title": "One", "labels": ["x" * 51]})

    assert refused.status_code == 422
    assert await world.told() == []


async def test_the_courier_sends_as_soon_as_something_is_committed(world: World) -> None:
    world.receiver.arrived.clear()
    running = asyncio.create_task(world.tracker.run_deliveries())
    try:
        await world.tracker.open_issue(REPO, by="ada", title="One")
        await asyncio.wait_for(world.receiver.arrived.wait(), 10)
    finally:
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    assert world.receiver.names[-1] == "issues.opened"
