"""Issues, labels and history over REST, with what webhooks are told."""

from __future__ import annotations

import httpx

from tests.trackers.embedded.conftest import BASE, REPO, World

ISSUES = f"/repos/{REPO}/issues"


async def test_an_issue_created_with_labels_is_opened_and_then_labeled_once_for_each(
    world: World, bot: httpx.AsyncClient
) -> None:
    answer = await bot.post(ISSUES, json={"title": "Cart is empty", "body": "Always.", "labels": ["bug", "run:work"]})

    assert answer.status_code == 201
    issue = answer.json()
    assert [label["name"] for label in issue["labels"]] == ["bug", "run:work"]
    assert await world.told() == ["issues.opened", "issues.labeled", "issues.labeled"]
    opened, *labeled = world.receiver.received
    assert opened.payload["issue"]["labels"] == []
    assert [each.payload["label"]["name"] for each in labeled] == ["bug", "run:work"]
    assert opened.payload["sender"]["login"] == "trackside[bot]"
    assert opened.payload["repository"]["full_name"] == REPO


async def test_two_labels_at_once_are_two_deliveries_that_both_show_both(world: World, bot: httpx.AsyncClient) -> None:
    # ag-A05
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.told()

    await bot.post(f"{ISSUES}/1/labels", json={"labels": ["a", "b"]})

    assert await world.told() == ["issues.labeled", "issues.labeled"]
    for each in world.receiver.received:
        assert [label["name"] for label in each.payload["issue"]["labels"]] == ["a", "b"]
    events = (await bot.get(f"{ISSUES}/1/events")).json()
    assert [(event["event"], event["label"]["name"]) for event in events] == [("labeled", "a"), ("labeled", "b")]


async def test_a_label_that_is_there_already_makes_no_event(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", labels=["bug"])
    await world.told()

    answer = await bot.post(f"{ISSUES}/1/labels", json=["BUG"])

    assert [label["name"] for label in answer.json()] == ["bug"]
    assert await world.told() == []
    assert len((await bot.get(f"{ISSUES}/1/events")).json()) == 1


async def test_a_label_is_taken_off_once(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", labels=["state:in review"])
    await world.told()

    taken = await bot.delete(f"{ISSUES}/1/labels/state:in%20review")
    again = await bot.delete(f"{ISSUES}/1/labels/state:in%20review")

    assert (taken.status_code, taken.json()) == (200, [])
    assert (again.status_code, again.json()["message"]) == (404, "Label does not exist")
    assert await world.told() == ["issues.unlabeled"]


async def test_labels_need_the_right_to_set_them(world: World) -> None:
    cleo = await world.client("cleo")

    created = await cleo.post(ISSUES, json={"title": "Mine", "labels": ["bug"]})
    refused = await cleo.post(f"{ISSUES}/1/labels", json={"labels": ["bug"]})

    assert (created.status_code, created.json()["labels"]) == (201, [])
    assert refused.status_code == 403
    assert await world.told() == ["issues.opened"]


async def test_an_update_tells_only_of_what_changed(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", body="text", labels=["a"])
    await world.told()

    change = {"title": "Two", "body": "text", "labels": ["b"], "state": "closed", "state_reason": "not_planned"}
    issue = (await bot.patch(f"{ISSUES}/1", json=change)).json()

    assert (issue["title"], issue["state"], issue["state_reason"]) == ("Two", "closed", "not_planned")
    assert issue["closed_by"]["login"] == "trackside[bot]"
    assert await world.told() == ["issues.edited", "issues.unlabeled", "issues.labeled", "issues.closed"]
    assert world.receiver.received[0].payload["changes"] == {"title": {"from": "One"}}


async def test_closing_and_reopening_stand_in_the_history(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.tracker.close(REPO, 1, by="ada")
    await world.tracker.close(REPO, 1, by="ada")
    await world.tracker.reopen(REPO, 1, by="ada")

    events = (await bot.get(f"{ISSUES}/1/events")).json()

    assert [event["event"] for event in events] == ["closed", "reopened"]
    assert await world.told() == ["issues.opened", "issues.closed", "issues.reopened"]


async def test_the_history_of_the_repository_is_newest_first_with_its_issues(
    world: World, bot: httpx.AsyncClient
) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One", labels=["a"])
    await world.tracker.open_issue(REPO, by="ada", title="Two", labels=["b"])

    events = (await bot.get(f"{ISSUES}/events")).json()

    assert [(event["issue"]["number"], event["label"]["name"]) for event in events] == [(2, "b"), (1, "a")]
    assert events[0]["id"] > events[1]["id"]


async def test_lists_are_filtered_by_state_label_and_moment(world: World, bot: httpx.AsyncClient) -> None:
    for title, labels in (("One", ["a"]), ("Two", ["a", "b"]), ("Three", [])):
        await world.tracker.open_issue(REPO, by="ada", title=title, labels=labels)
    await world.tracker.close(REPO, 1, by="ada")

    async def titles(**query: str) -> list[str]:
        return [issue["title"] for issue in (await bot.get(ISSUES, params=query)).json()]

    assert await titles() == ["Three", "Two"]
    assert await titles(state="closed") == ["One"]
    assert await titles(state="all", labels="a", direction="asc") == ["One", "Two"]
    assert await titles(labels="a,B") == ["Two"]
    closed_at = (await bot.get(f"{ISSUES}/1")).json()["updated_at"]
    assert await titles(state="all", since=closed_at) == ["One"]


async def test_long_lists_come_in_pages_with_links(world: World, bot: httpx.AsyncClient) -> None:
    for number in range(5):
        await world.tracker.open_issue(REPO, by="ada", title=f"Issue {number}")

    first = await bot.get(ISSUES, params={"per_page": "2", "state": "all"})
    middle = await bot.get(first.links["next"]["url"])
    last = await bot.get(first.links["last"]["url"])

    assert [len(page.json()) for page in (first, middle, last)] == [2, 2, 1]
    assert first.links.keys() == {"next", "last"}
    assert middle.links.keys() == {"first", "prev", "next", "last"}
    assert last.links.keys() == {"first", "prev"}
    assert first.links["next"]["url"].startswith(f"{BASE}{ISSUES}?")
    numbers = [issue["number"] for page in (first, middle, last) for issue in page.json()]
    assert numbers == [5, 4, 3, 2, 1]


async def test_what_is_known_already_is_answered_304(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")
    first = await bot.get(f"{ISSUES}/1")
    conditional = {"If-None-Match": first.headers["ETag"]}

    same = await bot.get(f"{ISSUES}/1", headers=conditional)
    await world.tracker.react(REPO, 1, "eyes", by="ben")
    changed = await bot.get(f"{ISSUES}/1", headers=conditional)

    assert (same.status_code, same.content) == (304, b"")
    assert changed.status_code == 200
    assert changed.json()["reactions"]["eyes"] == 1


async def test_a_change_that_is_refused_half_way_leaves_nothing(world: World, bot: httpx.AsyncClient) -> None:
    await world.tracker.open_issue(REPO, by="ada", title="One")
    await world.told()

    refused = await bot.patch(f"{ISSUES}/1", json={"title": "Two", "labels": ["x" * 51]})

    assert refused.status_code == 422
    assert (await bot.get(f"{ISSUES}/1")).json()["title"] == "One"
    assert await world.told() == []


async def test_everything_has_a_number_that_grows(world: World) -> None:
    first = await world.tracker.open_issue(REPO, by="ada", title="One")
    comment = await world.tracker.comment(REPO, 1, "hello", by="ben")
    second = await world.tracker.open_issue(REPO, by="ada", title="Two")

    assert first.id < comment.id < second.id
    assert (first.number, second.number) == (1, 2)
