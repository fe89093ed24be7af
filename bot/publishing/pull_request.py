"""The one pull request of a Work: found by its branch, opened when there is none, kept up to date."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.errors import PublishError, PublishRefusedError, RateLimitedError, TrackerError, TrackerUnavailableError
from bot.trackers.contract import PullRequest, WritePullRequests

_FORBIDDEN = frozenset({403, 422})
_TAKEN = 422


class FindPullRequest(Protocol):
    """Finding the pull request of a branch."""

    async def find_pull_request(self, repository: str, *, head_ref: str) -> PullRequest | None:
        """Return the newest pull request, open or not, whose head is this branch of the same repository."""
        ...


class PullRequests(FindPullRequest, WritePullRequests, Protocol):
    """Finding and writing pull requests."""


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What the pull request should be. ``body`` is ready to be shown."""

    repository: str
    head: str
    base: str
    title: str
    body: str
    draft: bool = False


async def publish_pull_request(tracker: PullRequests, proposal: Proposal) -> PullRequest:
    """
    Return the pull request of a branch, opened or brought up to date.

    It is looked for first, so that one whose opening was answered with an error, or not at all, is found and
    not opened twice (gh-W-05). Raises ``PublishRefusedError`` when it was closed or merged, a permanent
    ``PublishError`` when the tracker forbids to open or change it, and ``TrackerError``.
    """
    found = await current_pull_request(tracker, proposal)
    try:
        return await _opened(tracker, proposal) if found is None else await _updated(tracker, proposal, found)
    except RateLimitedError:
        raise
    except TrackerError as error:
        if error.status in _FORBIDDEN:
            raise PublishError(f"the pull request cannot be written: {error}", permanent=True) from error
        raise


async def current_pull_request(tracker: FindPullRequest, proposal: Proposal) -> PullRequest | None:
    """
    Return the open pull request of a branch, or None when there never was one.

    Raises ``PublishRefusedError`` when the newest was closed or merged: people ended it, and it is not opened
    again. Raises ``TrackerError``.
    """
    found = await tracker.find_pull_request(proposal.repository, head_ref=proposal.head)
    if found is not None and not found.open:
        state = "merged" if found.merged else "closed"
        raise PublishRefusedError(f"pull request #{found.number} was {state}; it is not opened again")
    return found


async def _opened(tracker: PullRequests, proposal: Proposal) -> PullRequest:
    try:
        return await tracker.create_pull_request(
            proposal.repository,
            head_ref=proposal.head,
            base_ref=proposal.base,
            title=proposal.title,
            body=proposal.body,
            draft=proposal.draft,
        )
    except TrackerError as error:
        # It may be there all the same: the answer was lost, or someone else was quicker.
        lost = isinstance(error, TrackerUnavailableError) and not isinstance(error, RateLimitedError)
        if not lost and error.status != _TAKEN:
            raise
        found = await current_pull_request(tracker, proposal)
        if found is None:
            raise
        return await _updated(tracker, proposal, found)


async def _updated(tracker: PullRequests, proposal: Proposal, found: PullRequest) -> PullRequest:
    if _plain(found.body) == _plain(proposal.body):
        return found
    # The title is the people's once it is open: they may have put it better.
    return await tracker.update_pull_request(proposal.repository, found.number, title=found.title, body=proposal.body)


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n").strip()
