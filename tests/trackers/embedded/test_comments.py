"""Comments and reactions over REST."""

from __future__ import annotations

import httpx
import pytest

from bot.trackers.embedded.faults import RefusedError
from bot.trackers.embedded.texts import MAX_BODY
from tests.trackers.embedded.conftest import REPO, World

ISSUES = f"/repos/{REPO}/issues"


@pytest.fixture(autouse=True)
async def issue(world: World) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Cart is empty")
    await world.told()


async def test_a_comment_is_created_edited_and_deleted(world: World, bot: httpx.AsyncClient) -> None:
    created = await bot.post(f"{ISSUES}/1/comments", json={"body": "first"})
    address = f"{ISSUES}/comments/{created.json()['id']}"
    edited = await bot.patch(address, json={"body": "second"})
    deleted = await bot.delete(address)

    assert (created.status_code, edited.status_code, deleted.status_code) == (201, 200, 204)
    assert edited.json()["body"] == "second"
    assert (await bot.get(address)).status_code == 404
    assert await world.told() == ["issue_comment.created", "issue_comment.edited", "issue_comment.deleted"]
    assert world.receiver.received[1].payload["changes"] == {"body": {"from": "first"}}
    assert [each.payload["comment"]["body"] for each in world.receiver.received] == ["first", "second", "second"]


async def test_an_edit_that_changes_nothing_tells_nobody(world: World, bot: httpx.AsyncClient) -> None:
    comment = await world.tracker.comment(REPO, 1, "same", by="trackside[bot]")
    await world.told()

    answer = await bot.patch(f"{ISSUES}/comments/{comment.id}", json={"body": "same"})

    assert answer.status_code == 200
    assert await world.told() == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("x" * MAX_BODY, 201),
        ("x" * (MAX_BODY + 1), 422),
        (" \n", 422),
        (None, 422),
        (5, 422),
    ],
)
async def test_a_text_has_limits(bot: httpx.AsyncClient, body: object, status: int) -> None:
    answer = await bot.post(f"{ISSUES}/1/comments", json={"body": body})

    assert answer.status_code == status
    if status == 422:
        assert answer.json()["message"].startswith(("Validation Failed", "Invalid request."))
        assert answer.json()["documentation_url"]


async def test_a_locked_thread_takes_comments_of_people_who_may_write_only(world: World) -> None:
    await world.tracker.lock(REPO, 1, by="ada")

    statuses = {}
    for login in ("ben", "cleo", "trackside[bot]"):
        client = await world.client(login)
        statuses[login] = (await client.post(f"{ISSUES}/1/comments", json={"body": "hello"})).status_code

    assert statuses == {"ben": 201, "cleo": 403, "trackside[bot]": 403}


async def test_a_comment_may_be_changed_by_its_author_and_by_who_may_write(world: World) -> None:
    comment = await world.tracker.comment(REPO, 1, "mine", by="cleo")
    await world.tracker.add_user("dan")

    with pytest.raises(RefusedError) as refused:
        await world.tracker.edit_comment(REPO, comment.id, "not yours", by="dan")
    await world.tracker.edit_comment(REPO, comment.id, "still mine", by="cleo")
    edited = await world.tracker.edit_comment(REPO, comment.id, "tidied", by="ben")

    assert refused.value.status == 403
    assert (edited.body, edited.author.login) == ("tidied", "cleo")


async def test_comments_of_the_repository_are_listed_by_their_last_change(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="Another")
    first = await world.tracker.comment(REPO, 1, "first", by="ada")
    await world.tracker.comment(REPO, 2, "second", by="ada")
    await world.tracker.edit_comment(REPO, first.id, "first, edited", by="ada")

    async def bodies(**query: str) -> list[str]:
        return [each["body"] for each in (await bot.get(f"{ISSUES}/comments", params=query)).json()]

    changed_at = (await bot.get(f"{ISSUES}/comments/{first.id}")).json()["updated_at"]
    assert await bodies() == ["first, edited", "second"]
    assert await bodies(sort="updated", direction="asc") == ["second", "first, edited"]
    assert await bodies(sort="updated", direction="desc") == ["first, edited", "second"]
    assert await bodies(since=changed_at) == ["first, edited"]


async def test_a_reaction_is_there_once(world: World, bot: httpx.AsyncClient) -> None:
    comment = await world.tracker.comment(REPO, 1, "/approve", by="ada")
    for address in (f"{ISSUES}/1/reactions", f"{ISSUES}/comments/{comment.id}/reactions"):
        first = await bot.post(address, json={"content": "eyes"})
        again = await bot.post(address, json={"content": "eyes"})
        other = await bot.post(address, json={"content": "+1"})

        assert [first.status_code, again.status_code, other.status_code] == [201, 200, 201]
        assert again.json()["id"] == first.json()["id"]
        assert [each["content"] for each in (await bot.get(address)).json()] == ["eyes", "+1"]
        assert (await bot.delete(f"{address}/{first.json()['id']}")).status_code == 204
        assert [each["content"] for each in (await bot.get(address)).json()] == ["+1"]


async def test_a_reaction_is_taken_back_by_its_owner_only(world: World, bot: httpx.AsyncClient) -> None:
    reaction = await world.tracker.react(REPO, 1, "heart", by="ada")

    refused = await bot.delete(f"{ISSUES}/1/reactions/{reaction.id}")

    assert refused.status_code == 403
    assert (await world.tracker.thread(REPO, 1)).reactions == {"heart": 1}


async def test_an_unknown_reaction_is_refused(bot: httpx.AsyncClient) -> None:
    assert (await bot.post(f"{ISSUES}/1/reactions", json={"content": "shrug"})).status_code == 422
