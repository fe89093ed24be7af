"""All of it: the branch, then its pull request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.executors.workspace.workspaces import Workspace
from bot.publishing.branch import NothingToPublish, push_branch
from bot.publishing.pull_request import Proposal, PullRequests, current_pull_request, publish_pull_request
from bot.trackers.contract import PullRequest

Write = Callable[[Callable[[], Awaitable[PullRequest]]], Awaitable[PullRequest]]
"""Lets one write to the tracker through, when its limits allow it."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """
    What stands on the tracker now.

    ``changed`` is whether commits were pushed. ``uncommitted`` are the paths that the run changed without
    committing them: they are not published.
    """

    pull_request: int
    url: str
    head_sha: str
    changed: bool
    uncommitted: tuple[str, ...]


async def publish(
    proposal: Proposal, tracker: PullRequests, workspace: Workspace, write: Write
) -> Published | NothingToPublish:
    """
    Push a Work's branch and open or update its pull request. Idempotent.

    A pull request that people ended is known before anything is pushed, so that a branch they removed stays away.
    Raises ``PublishError`` and ``TrackerError``.
    """
    await current_pull_request(tracker, proposal)
    branch = await push_branch(workspace, proposal.base)
    if isinstance(branch, NothingToPublish):
        return branch
    pull = await write(lambda: publish_pull_request(tracker, proposal))
    return Published(
        pull_request=pull.number,
        url=pull.url,
        head_sha=branch.head_sha,
        changed=branch.changed,
        uncommitted=branch.uncommitted,
    )
