"""Branch and pull request together: cut off anywhere, and done again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.errors import PublishRefusedError, RateLimitedError
from bot.executors.workspace.workspaces import Workspace
from bot.publishing.branch import NothingToPublish, push_branch
from bot.publishing.publish import Published, publish
from bot.publishing.pull_request import Proposal
from bot.trackers.contract import PullRequest
from tests.executors.workspace.repositories import Remote, commit, git, write
from tests.publishing.conftest import BRANCH
from tests.publishing.tracker import PullRequestTracker

PROPOSAL = Proposal(repository="acme/shop", head=BRANCH, base="main", title="Fix login", body="Closes #42")


@pytest.fixture
def tracker(remote: Remote) -> PullRequestTracker:
    return PullRequestTracker(remote=remote)


async def at_once(call: Callable[[], Awaitable[PullRequest]]) -> PullRequest:
    return await call()


async def test_commits_become_a_pull_request(remote: Remote, workspace: Workspace, tracker: PullRequestTracker) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    write(workspace.path, {"left.txt": "l\n"})

    published = await publish(PROPOSAL, tracker, workspace, at_once)

    assert published == Published(
        pull_request=1,
        url="https://tracker.test/acme/shop/pull/1",
        head_sha=made,
        changed=True,
        uncommitted=("left.txt",),
    )
    assert tracker.pulls[0].head_sha == remote.tip(BRANCH) == made


async def test_without_commits_no_pull_request_is_opened(workspace: Workspace, tracker: PullRequestTracker) -> None:
    published = await publish(PROPOSAL, tracker, workspace, at_once)

    assert published == NothingToPublish(uncommitted=())
    assert tracker.writes == 0


# gh-W-05
async def test_a_crash_between_push_and_pull_request_ends_in_one_pull_request(
    remote: Remote, workspace: Workspace, tracker: PullRequestTracker
) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")
    await push_branch(workspace, "main")

    first = await publish(PROPOSAL, tracker, workspace, at_once)
    second = await publish(PROPOSAL, tracker, workspace, at_once)

    assert first == second
    assert isinstance(first, Published)
    assert (first.pull_request, first.head_sha, first.changed) == (1, made, False)
    assert len(tracker.pulls) == 1
    assert remote.tip(BRANCH) == made


async def test_a_later_run_goes_on_with_the_same_pull_request(
    workspace: Workspace, tracker: PullRequestTracker
) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await publish(PROPOSAL, tracker, workspace, at_once)
    made = commit(workspace.path, {"b.txt": "b\n"}, "Two")

    published = await publish(PROPOSAL, tracker, workspace, at_once)

    assert isinstance(published, Published)
    assert (published.pull_request, published.head_sha, published.changed) == (1, made, True)


@pytest.mark.parametrize("merged", [True, False])
async def test_a_branch_that_people_removed_with_its_pull_request_stays_away(
    remote: Remote, workspace: Workspace, tracker: PullRequestTracker, *, merged: bool
) -> None:
    commit(workspace.path, {"a.txt": "a\n"}, "One")
    await publish(PROPOSAL, tracker, workspace, at_once)
    tracker.end(1, merged=merged)
    git(remote.path, "update-ref", "-d", f"refs/heads/{BRANCH}")
    commit(workspace.path, {"b.txt": "b\n"}, "Two")

    with pytest.raises(PublishRefusedError):
        await publish(PROPOSAL, tracker, workspace, at_once)

    assert remote.tip(BRANCH) is None


async def test_the_pull_request_is_written_only_when_the_limits_allow_it(
    remote: Remote, workspace: Workspace, tracker: PullRequestTracker
) -> None:
    made = commit(workspace.path, {"a.txt": "a\n"}, "One")

    async def not_now(_: Callable[[], Awaitable[PullRequest]]) -> PullRequest:
        raise RateLimitedError(retry_after=1_000)

    with pytest.raises(RateLimitedError):
        await publish(PROPOSAL, tracker, workspace, not_now)

    assert (tracker.writes, remote.tip(BRANCH)) == (0, made)
