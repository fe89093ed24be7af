"""Comments on lines over REST: they are a review's, also one that stands alone."""

from __future__ import annotations

import httpx
import pytest

from bot.trackers.contract import LineComment
from bot.trackers.embedded.lines import Remark
from bot.trackers.github.fields import Fields
from bot.trackers.github.parse import line_comment
from tests.published.watch import Watched
from tests.trackers.embedded.conftest import BASE, REPO, World
from webhooks.github.normalise import Malformed, normalise

PULL = f"/repos/{REPO}/pulls/1"


@pytest.fixture
async def watched(world: World) -> httpx.AsyncClient:
    """Return a client of ada's, for which each answer is compared with what GitHub publishes."""
    transport = Watched(httpx.ASGITransport(world.tracker.app))
    headers = {"Authorization": f"Bearer {world.tokens['ada']}"}
    return await world.stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers))


@pytest.fixture
async def head(world: World) -> str:
    sha = await world.tracker.commit(REPO, "fix", {"a.py": "one\ntwo\n"}, by="trackside[bot]")
    await world.tracker.open_pull(REPO, by="trackside[bot]", title="Fix", head="fix")
    await world.told()
    return sha


async def test_a_review_carries_its_lines_and_each_is_told(world: World, head: str) -> None:
    remarks = [Remark(path="a.py", line=1, body="Why?"), Remark(path="a.py", line=2, body="Two.")]
    review = await world.tracker.review(REPO, 1, "COMMENT", by="ada", remarks=remarks)
    assert await world.told() == [
        "pull_request_review.submitted",
        "pull_request_review_comment.created",
        "pull_request_review_comment.created",
    ]
    told = world.receiver.received[-1].payload
    assert (told["comment"]["pull_request_review_id"], told["comment"]["commit_id"]) == (review.id, head)
    (wake,) = _facts(normalise("pull_request_review_comment", "created", told, delivery="a"))
    assert getattr(wake, "review", None) == review.id


def _facts(found: object) -> tuple[object, ...]:
    assert not isinstance(found, Malformed)
    assert isinstance(found, tuple)
    return found


async def test_lines_are_read_back_as_the_adapter_reads_them(
    world: World, watched: httpx.AsyncClient, head: str
) -> None:
    alone = await watched.post(f"{PULL}/comments", json={"commit_id": head, "path": "a.py", "line": 2, "body": "Why?"})
    document = {"event": "REQUEST_CHANGES", "comments": [{"path": "a.py", "line": 1, "body": "One."}]}
    review = await watched.post(f"{PULL}/reviews", json={**document, "body": "Nearly."})
    assert (alone.status_code, review.status_code) == (201, 200)

    of_first = await watched.get(f"{PULL}/reviews/{alone.json()['pull_request_review_id']}/comments")
    everything = await watched.get(f"{PULL}/comments")
    (read,) = [line_comment(Fields.of(entry)) for entry in of_first.json()]
    ada = read.author
    assert read == LineComment(id=alone.json()["id"], path="a.py", line=2, body="Why?", author=ada)
    assert ada.login == "ada"
    assert [entry["body"] for entry in everything.json()] == ["Why?", "One."]
    assert (await world.told())[-1] == "pull_request_review_comment.created"


@pytest.mark.parametrize("missing", ["path", "line", "body"])
async def test_a_line_that_is_named_badly_makes_no_review(
    world: World, ada: httpx.AsyncClient, head: str, missing: str
) -> None:
    remark: dict[str, object] = {"commit_id": head, "path": "a.py", "line": 1, "body": "x"}
    del remark[missing]
    assert (await ada.post(f"{PULL}/comments", json=remark)).status_code == 422
    assert (await ada.get(f"{PULL}/reviews")).json() == []
    assert await world.told() == []
