"""The one pull request of a Work: found by its branch, opened when there is none, kept up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.errors import PublishError
from bot.trackers.contract import PullRequest, ReadThreads, WritePullRequests


class PullRequests(ReadThreads, WritePullRequests, Protocol):
    """Finding and writing pull requests."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What the pull request should be. ``body`` is ready to be shown."""

    repository: str
    head: str
    base: str
    title: str
    body: str


async def publish_pull_request(tracker: PullRequests, proposal: Proposal) -> PullRequest:
    """
    Return the pull request of a branch, opened or brought up to date.

    It is looked for first, so that one whose opening was answered with an error, or not at all, is found and
    not opened twice (gh-W-05). Raises ``PublishError`` when it was closed or merged: people ended it, and it is
    not opened again. Raises ``TrackerError``.
    """
    found = await tracker.find_pull_request(proposal.repository, head_ref=proposal.head)
    if found is None:
        return await tracker.create_pull_request(
            proposal.repository,
            head_ref=proposal.head,
            base_ref=proposal.base,
            title=proposal.title,
            body=proposal.body,
            draft=False,
        )
    if not found.open:
        state = "merged" if found.merged else "closed"
        raise PublishError(f"pull request #{found.number} was {state}; it is not opened again", permanent=True)
    if found.body.replace("\r\n", "\n").strip() == proposal.body.strip():
        return found
    # The title is the people's once it is open: they may have put it better.
    return await tracker.update_pull_request(proposal.repository, found.number, title=found.title, body=proposal.body)
