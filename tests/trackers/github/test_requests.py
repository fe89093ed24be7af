"""How the client asks: one set of connections, every page, and never another host."""

from __future__ import annotations

import asyncio
import contextvars
import json
import secrets
from collections.abc import Sequence

import httpx
import pytest
import respx

from bot.clock import Millis
from bot.errors import TrackerError
from bot.trackers.contract import Reaction
from bot.trackers.github.tracker import GithubTracker, open_tracker
from tests.trackers.github.documents import API, BASE, REPO, WHEN, account, comment, event, issue, pull, repository


class Pages:
    """A list in pages of a size that the tracker chooses, whatever it was asked for."""

    def __init__(self, entries: Sequence[object], size: int) -> None:
        self.entries = entries
        self.size = size
        self.asked: list[httpx.URL] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url)
        page = int(request.url.params.get("page", "1"))
        start = (page - 1) * self.size
        headers = {}
        if start + self.size < len(self.entries):
            further = request.url.copy_set_param("page", page + 1)
            headers["Link"] = f'<{further}>; rel="next", <{further}>; rel="last"'
        return httpx.Response(200, json=self.entries[start : start + self.size], headers=headers)


# ag-J04, ag-I08
async def test_every_page_of_a_list_is_read(api: respx.MockRouter, tracker: GithubTracker) -> None:
    pages = Pages([comment(number) for number in range(1, 251)], 100)
    api.get(f"{API}/issues/3/comments").mock(side_effect=pages)

    found = await tracker.comments(REPO, 3)

    assert [each.id for each in found] == list(range(1, 251))
    assert [each.number for each in found[:2]] == [3, 3]
    assert len(pages.asked) == 3
    assert pages.asked[0].params["per_page"] == "100"


# ag-J04
async def test_a_short_page_is_not_taken_for_the_last(api: respx.MockRouter, tracker: GithubTracker) -> None:
    pages = Pages([event(number) for number in range(1, 8)], 2)
    api.get(f"{API}/issues/3/events").mock(side_effect=pages)

    found = await tracker.issue_events(REPO, 3, after=4)

    assert [each.id for each in found] == [5, 6, 7]
    assert len(pages.asked) == 4


async def test_the_filter_of_a_list_holds_for_every_page(api: respx.MockRouter, tracker: GithubTracker) -> None:
    pages = Pages([issue(number) for number in (4, 5)], 1)
    api.get(f"{API}/issues").mock(side_effect=pages)

    await tracker.issues(REPO, label="run:work")

    assert [(url.params["labels"], url.params["state"]) for url in pages.asked] == [("run:work", "open")] * 2


async def test_a_link_to_another_host_is_followed_on_this_one(api: respx.MockRouter, tracker: GithubTracker) -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        headers = {} if "page" in request.url.params else {"Link": '<https://evil.test/?page=2>; rel="next"'}
        return httpx.Response(200, json=[], headers=headers)

    api.get(f"{API}/issues/3/comments").mock(side_effect=answer)

    await tracker.comments(REPO, 3)

    assert [url.host for url in asked] == ["tracker.test", "tracker.test"]


async def test_pages_that_go_round_in_a_circle_are_an_error(api: respx.MockRouter, tracker: GithubTracker) -> None:
    headers = {"Link": f'<{API}/issues/3/comments?page=2>; rel="next"'}
    api.get(f"{API}/issues/3/comments").mock(return_value=httpx.Response(200, json=[], headers=headers))

    with pytest.raises(TrackerError, match="circle"):
        await tracker.comments(REPO, 3)


async def test_a_list_that_is_no_list_is_an_error(api: respx.MockRouter, tracker: GithubTracker) -> None:
    api.get(f"{API}/issues/3/comments").mock(return_value=httpx.Response(200, json={"message": "odd"}))

    with pytest.raises(TrackerError, match="list"):
        await tracker.comments(REPO, 3)


async def test_a_write_to_a_renamed_repository_arrives_there_as_it_was(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    headers = {"Location": f"{BASE}/repositories/11/issues/3/comments"}
    # 301 too: common clients make a GET of it, and the comment would be lost without anyone being told.
    api.post(f"{API}/issues/3/comments").mock(return_value=httpx.Response(301, headers=headers))
    there = api.post(headers["Location"]).mock(return_value=httpx.Response(201, json=comment(8)))

    posted = await tracker.create_comment(REPO, 3, "hello")

    assert posted.id == 8
    assert json.loads(there.calls.last.request.content) == {"body": "hello"}
    assert there.calls.last.request.headers["Authorization"].startswith("token ")


async def test_the_filter_of_a_list_holds_in_a_renamed_repository(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    there = f"{BASE}/repositories/11/issues"
    api.get(f"{API}/issues").mock(return_value=httpx.Response(301, headers={"Location": there}))
    route = api.get(there).mock(return_value=httpx.Response(200, json=[issue(4)]))

    await tracker.issues(REPO, label="run:work")

    assert route.calls.last.request.url.params["labels"] == "run:work"


@pytest.mark.parametrize("location", ["https://evil.test/repositories/11", "http://tracker.test/repositories/11"])
async def test_nothing_is_sent_to_another_host(api: respx.MockRouter, tracker: GithubTracker, location: str) -> None:
    api.get(API).mock(return_value=httpx.Response(302, headers={"Location": location}))

    with pytest.raises(TrackerError, match="another host"):
        await tracker.repository(REPO)


async def test_an_endless_redirect_is_an_error(api: respx.MockRouter, tracker: GithubTracker) -> None:
    route = api.get(API).mock(return_value=httpx.Response(301, headers={"Location": API}))

    with pytest.raises(TrackerError, match="on and on"):
        await tracker.repository(REPO)

    assert route.call_count == 4


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("run:work/issue", b"run%3Awork%2Fissue"),
        ("..", b"%2E%2E"),
        ("a?b#c d", b"a%3Fb%23c%20d"),
        ("ä", b"%C3%A4"),
    ],
)
async def test_a_label_of_any_name_stays_one_part_of_the_path(name: str, path: bytes) -> None:
    asked: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.raw_path)
        return httpx.Response(200, json=[])

    async with open_tracker(secrets.token_hex(20), base_url=BASE, transport=httpx.MockTransport(answer)) as tracker:
        await tracker.remove_label(REPO, 3, name)

    assert asked == [b"/repos/acme/shop/issues/3/labels/" + path]


@pytest.mark.parametrize("name", ["shop", "acme/shop/issues", "/shop", "acme/"])
async def test_a_repository_of_another_form_is_not_asked_for(tracker: GithubTracker, name: str) -> None:
    with pytest.raises(TrackerError):
        await tracker.repository(name)


class Counted(httpx.AsyncBaseTransport):
    """Counts how often its connections are closed."""

    def __init__(self) -> None:
        self.closed = 0
        self.open = 0
        self.most = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.open += 1
        self.most = max(self.most, self.open)
        await asyncio.sleep(0)
        self.open -= 1
        return httpx.Response(200, json=account(), request=request)

    async def aclose(self) -> None:
        self.closed += 1


async def test_the_connections_live_as_long_as_the_tracker_whoever_asks() -> None:
    transport = Counted()
    async with open_tracker(secrets.token_hex(20), base_url=BASE, transport=transport) as tracker:
        loop = asyncio.get_running_loop()
        # Tasks of a web server do not descend from the one that opened the tracker, and share no variable with it.
        tasks = [loop.create_task(tracker.me(), context=contextvars.Context()) for _ in range(3)]
        await asyncio.gather(*tasks)
        during = transport.closed

    assert during == 0
    assert transport.closed == 1
    assert transport.most == 3


async def test_a_cancelled_request_ends() -> None:
    began, ended = asyncio.Event(), asyncio.Event()

    async def answer(_: httpx.Request) -> httpx.Response:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        raise AssertionError

    async with open_tracker(secrets.token_hex(20), base_url=BASE, transport=httpx.MockTransport(answer)) as tracker:
        task = asyncio.create_task(tracker.me())
        await began.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert task.cancelled()
    assert ended.is_set()


async def test_a_base_address_with_a_path_is_kept() -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(200, json=account())

    base = "https://tracker.test/api/v3"
    async with open_tracker(secrets.token_hex(20), base_url=base, transport=httpx.MockTransport(answer)) as tracker:
        await tracker.me()

    assert asked == ["/api/v3/user"]


async def test_comments_are_asked_for_since_the_second_of_a_moment(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    route = api.get(f"{API}/issues/comments").mock(return_value=httpx.Response(200, json=[comment(1)]))

    found = await tracker.comments_since(REPO, Millis(1_796_126_400_999))

    assert route.calls.last.request.url.params["since"] == WHEN
    assert found[0].updated_at == 1_796_126_400_000


async def test_changes_are_asked_for_in_every_state_and_the_latest_last(
    api: respx.MockRouter, tracker: GithubTracker
) -> None:
    route = api.get(f"{API}/issues").mock(return_value=httpx.Response(200, json=[]))

    assert await tracker.issues_since(REPO, Millis(1_796_126_400_999)) == []

    asked = route.calls.last.request.url.params
    wanted = {"state": "all", "since": WHEN, "sort": "updated", "direction": "asc"}
    assert {name: asked[name] for name in wanted} == wanted


async def test_writes_say_what_is_to_be_written(api: respx.MockRouter, tracker: GithubTracker) -> None:
    edit = api.patch(f"{API}/issues/comments/8").mock(return_value=httpx.Response(200, json=comment(8)))
    label = api.post(f"{API}/issues/3/labels").mock(return_value=httpx.Response(200, json=[]))
    react = api.post(f"{API}/issues/3/reactions").mock(return_value=httpx.Response(201, json={}))
    reply = api.post(f"{API}/issues/comments/8/reactions").mock(return_value=httpx.Response(200, json={}))
    opened = api.post(f"{API}/pulls").mock(return_value=httpx.Response(201, json=pull(5)))
    edited = api.patch(f"{API}/pulls/5").mock(return_value=httpx.Response(200, json=pull(5)))

    await tracker.update_comment(REPO, 8, "new")
    await tracker.add_labels(REPO, 3, ["a", "b"])
    await tracker.react_to_issue(REPO, 3, Reaction.EYES)
    await tracker.react_to_comment(REPO, 8, Reaction.THUMBS_UP)
    await tracker.create_pull_request(REPO, head_ref="fix", base_ref="main", title="T", body="B", draft=True)
    await tracker.update_pull_request(REPO, 5, title="U", body="C")

    sent = [json.loads(route.calls.last.request.content) for route in (edit, label, react, reply, opened, edited)]
    assert sent == [
        {"body": "new"},
        {"labels": ["a", "b"]},
        {"content": "eyes"},
        {"content": "+1"},
        {"head": "fix", "base": "main", "title": "T", "body": "B", "draft": True},
        {"title": "U", "body": "C"},
    ]


async def test_a_renamed_repository_is_known_by_its_new_name(api: respx.MockRouter, tracker: GithubTracker) -> None:
    there = f"{BASE}/repositories/11"
    api.get(API).mock(return_value=httpx.Response(301, headers={"Location": there}))
    api.get(there).mock(return_value=httpx.Response(200, json=repository("store")))

    assert (await tracker.repository(REPO)).full_name == "acme/store"
