from __future__ import annotations

import pytest
import respx

from bot.errors import TrackerError
from bot.trackers.github.changes import DIFF
from bot.trackers.github.tracker import GithubTracker
from tests.trackers.github.documents import API, REPO, pull

PULL = f"{API}/pulls/3"
TEXT = b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-\xe9\n+\xe8\r\n"


async def test_the_diff_is_what_was_pushed_byte_by_byte(api: respx.MockRouter, tracker: GithubTracker) -> None:
    route = api.get(PULL, headers={"Accept": DIFF})
    route.respond(content=TEXT, headers={"Content-Type": f"{DIFF}; charset=utf-8"})
    assert await tracker.diff(REPO, 3) == TEXT


# gh-A-09
@pytest.mark.parametrize("status", [406, 422, 500, 503], ids=str)
async def test_a_diff_that_the_tracker_does_not_make_is_not_known(
    api: respx.MockRouter, tracker: GithubTracker, status: int
) -> None:
    api.get(PULL).respond(status, json={"message": "Sorry, the diff exceeded the maximum number of lines (20000)"})
    assert await tracker.diff(REPO, 3) is None


async def test_something_else_than_a_diff_is_none(api: respx.MockRouter, tracker: GithubTracker) -> None:
    api.get(PULL).respond(json=pull(3))
    assert await tracker.diff(REPO, 3) is None


@pytest.mark.parametrize(
    ("status", "headers"), [(404, {}), (403, {"Retry-After": "60"}), (429, {"Retry-After": "60"})], ids=str
)
async def test_a_tracker_that_says_no_is_heard(
    api: respx.MockRouter, tracker: GithubTracker, status: int, headers: dict[str, str]
) -> None:
    api.get(PULL).respond(status, json={"message": "no"}, headers=headers)
    with pytest.raises(TrackerError):
        await tracker.diff(REPO, 3)


# ag-D12
@pytest.mark.parametrize(("source", "fork"), [(11, False), (12, True), (None, True)], ids=["own", "fork", "deleted"])
async def test_a_fork_is_known_by_the_id_of_its_repository(
    api: respx.MockRouter,
    tracker: GithubTracker,
    source: int | None,
    fork: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    api.get(PULL).respond(json=pull(3, source=source))
    assert (await tracker.pull_request(REPO, 3)).from_fork is fork
