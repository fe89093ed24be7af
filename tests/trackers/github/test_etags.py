"""Asking only for what has changed, and counting what is asked."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from bot.clock import Millis
from bot.errors import CallsSpentError, TrackerMissingError
from bot.trackers.github.credentials import Grant
from bot.trackers.github.etags import LARGE, Answers, SparingWire
from bot.trackers.github.wire import Request
from tests.trackers.github.contract import REPO
from tests.trackers.github.stage import embedded_stage


@dataclass
class Spent:
    """A meter that allows so many calls."""

    left: int = 1000
    paid: int = 0

    def spend(self) -> None:
        if not self.left:
            raise CallsSpentError
        self.left -= 1
        self.paid += 1

    def give_back(self) -> None:
        self.left += 1
        self.paid -= 1


@dataclass
class Pages:
    """Answers with documents by path, tagged, and says when nothing has changed."""

    documents: dict[str, bytes]
    tagged: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    async def ask(self, request: Request, grant: Grant) -> httpx.Response:
        named = request.headers.get("If-None-Match")
        self.asked.append((request.path, named))
        body = self.documents[request.path]
        tag = f'"{hash((body, grant.header))}"'
        asked = httpx.Request(request.method, f"https://tracker.test{request.path}")
        headers = {"ETag": tag, "Link": '<https://tracker.test/x?page=2>; rel="next"'} if self.tagged else {}
        if named == tag:
            return httpx.Response(304, headers={"ETag": tag}, request=asked)
        return httpx.Response(200, headers=headers, content=body, request=asked)


def grant() -> Grant:
    return Grant(f"token {secrets.token_hex(10)}")


def get(path: str) -> Request:
    return Request(method="GET", path=path)


async def test_what_has_not_changed_is_answered_as_before_and_costs_nothing() -> None:
    pages, meter, mine = Pages({"/a": b"[1]"}), Spent(), grant()
    wire = SparingWire(pages, Answers(), meter)
    first, second = await wire.ask(get("/a"), mine), await wire.ask(get("/a"), mine)
    assert (first.json(), second.json(), second.status_code) == ([1], [1], 200)
    assert second.links["next"]["url"] == "https://tracker.test/x?page=2", "the next page is found as before"
    assert [named is not None for _, named in pages.asked] == [False, True]
    assert meter.paid == 1


async def test_what_has_changed_is_read_anew() -> None:
    pages, meter, mine = Pages({"/a": b"[1]"}), Spent(), grant()
    wire = SparingWire(pages, Answers(), meter)
    await wire.ask(get("/a"), mine)
    pages.documents["/a"] = b"[1, 2]"
    assert (await wire.ask(get("/a"), mine)).json() == [1, 2]
    assert (await wire.ask(get("/a"), mine)).json() == [1, 2]
    assert meter.paid == 2


async def test_other_credentials_and_other_questions_have_answers_of_their_own() -> None:
    pages, mine = Pages({"/a": b"[1]"}), grant()
    wire = SparingWire(pages, Answers(), Spent())
    await wire.ask(get("/a"), mine)
    await wire.ask(get("/a"), grant())
    await wire.ask(Request(method="GET", path="/a", query={"page": 2}), mine)
    assert [named for _, named in pages.asked] == [None, None, None]


async def test_a_token_is_kept_nowhere_beside_what_it_read() -> None:
    mine, answers = grant(), Answers()
    await SparingWire(Pages({"/a": b"[1]"}), answers, Spent()).ask(get("/a"), mine)
    assert mine.header.split()[1] not in repr(answers)


async def test_what_was_used_longest_ago_makes_room_and_what_is_large_is_not_kept() -> None:
    pages, mine = Pages({"/a": b"a" * 60, "/b": b"b" * 60, "/large": b"l" * (LARGE + 1)}), grant()
    wire = SparingWire(pages, Answers(most=100), Spent())
    for path in ("/a", "/b", "/a"):
        await wire.ask(get(path), mine)
    assert pages.asked[-1] == ("/a", None)
    wide = SparingWire(pages, Answers(), Spent())
    await wide.ask(get("/large"), mine)
    await wide.ask(get("/large"), mine)
    assert pages.asked[-1] == ("/large", None)


async def test_answers_without_a_tag_are_read_each_time() -> None:
    pages, meter, mine = Pages({"/a": b"[1]"}, tagged=False), Spent(), grant()
    wire = SparingWire(pages, Answers(), meter)
    await wire.ask(get("/a"), mine)
    await wire.ask(get("/a"), mine)
    assert meter.paid == 2


async def test_nothing_is_asked_when_no_call_is_left() -> None:
    pages = Pages({"/a": b"[1]"})
    with pytest.raises(CallsSpentError):
        await SparingWire(pages, Answers(), Spent(left=0)).ask(get("/a"), grant())
    assert pages.asked == []


# gh-O-06
async def test_sweeps_of_a_repository_at_rest_cost_nothing_and_other_readings_are_never_old(tmp_path: Path) -> None:
    async with embedded_stage(tmp_path) as stage:
        number = await stage.open_issue("One", labels=["run:work"])
        meter = Spent()
        reads = stage.tracker.sparing(meter)

        async def look() -> int:
            await reads.repository(REPO)
            found = await reads.issues(REPO, label="run:work")
            await reads.issue_events(REPO, number)
            await reads.comments_since(REPO, Millis(0))
            await reads.issues_since(REPO, Millis(0))
            return len(found)

        assert await look() == 1
        paid = meter.paid
        assert await look() == 1
        assert meter.paid == paid
        await stage.close(number)
        assert await look() == 0
        assert meter.paid > paid
        assert not (await stage.tracker.issue(REPO, number)).open
        with pytest.raises(TrackerMissingError):
            await reads.issue(REPO, number + 1000)
        used = meter.paid
        await stage.tracker.repository(REPO)
        assert meter.paid == used, "only what the sweep reads is counted"
