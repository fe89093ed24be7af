"""Publishing to the embedded tracker: its git, its REST, its pull requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from bot.errors import PublishError, PublishRefusedError
from bot.executors.workspace.workspaces import Source, Workspaces
from bot.ids import WorkId
from bot.publishing.publish import Published, publish
from bot.publishing.pull_request import Proposal, publish_pull_request
from bot.trackers.contract import PullRequest
from bot.trackers.github.tracker import open_tracker
from tests.executors.workspace.repositories import commit
from tests.publishing.conftest import BRANCH
from tests.trackers.github.contract import REPO
from tests.trackers.github.stage import BASE, embedded_stage

PROPOSAL = Proposal(repository=REPO, head=BRANCH, base="main", title="Fix login", body="Done\n\nCloses #42")


async def at_once(call: Callable[[], Awaitable[PullRequest]]) -> PullRequest:
    return await call()


async def test_a_run_is_published_and_published_again_until_it_is_merged(
    tmp_path: Path, workspaces: Workspaces
) -> None:
    async with embedded_stage(tmp_path) as stage:
        repository = await stage.tracker.repository(REPO)
        source = Source(id=repository.id, url=repository.clone_url, base=repository.default_branch)
        workspace = await workspaces.prepare(source, WorkId("wrk-one"), BRANCH)
        commit(workspace.path, {"a.txt": "a\n"}, "One")

        first = await publish(PROPOSAL, stage.tracker, workspace, at_once)
        again = await publish(PROPOSAL, stage.tracker, workspace, at_once)
        made = commit(workspace.path, {"b.txt": "b\n"}, "Two")
        second = await publish(PROPOSAL, stage.tracker, workspace, at_once)

        assert isinstance(first, Published)
        assert isinstance(again, Published)
        assert isinstance(second, Published)
        assert first.pull_request == again.pull_request == second.pull_request
        assert (first.changed, again.changed, second.changed) == (True, False, True)
        pull = await stage.tracker.pull_request(REPO, second.pull_request)
        assert pull.head_sha == second.head_sha == made
        assert pull.body == PROPOSAL.body

        await stage.merge(pull.number)
        commit(workspace.path, {"c.txt": "c\n"}, "Three")
        with pytest.raises(PublishRefusedError, match="merged"):
            await publish(PROPOSAL, stage.tracker, workspace, at_once)


class Losing(httpx.AsyncBaseTransport):
    """Loses the answer to the next writes: they are done, and nobody is told."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self.inner = inner
        self.losing = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        answer = await self.inner.handle_async_request(request)
        if request.method == "POST" and self.losing:
            self.losing -= 1
            await answer.aread()
            await answer.aclose()
            raise httpx.ReadError("connection lost", request=request)
        return answer


# gh-W-05
async def test_a_lost_answer_opens_one_pull_request(tmp_path: Path) -> None:
    # ag-A17
    async with embedded_stage(tmp_path) as stage:
        await stage.push(BRANCH, "a.txt")
        token = await stage.embedded.new_token("trackside[bot]")
        transport = Losing(httpx.ASGITransport(stage.embedded.app))
        async with open_tracker(token, base_url=BASE, transport=transport) as tracker:
            transport.losing = 1
            found = await publish_pull_request(tracker, PROPOSAL)
            issue = await stage.open_issue("The number after")

    assert transport.losing == 0
    assert issue == found.number + 1


async def test_a_pull_request_that_cannot_be_is_permanent_and_tells_why(tmp_path: Path) -> None:
    async with embedded_stage(tmp_path) as stage:
        with pytest.raises(PublishError, match="head invalid") as caught:
            await publish_pull_request(stage.tracker, PROPOSAL)

    assert caught.value.permanent
