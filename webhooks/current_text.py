"""What an item says now: its text, and of a pull request its head and what it changes."""

from __future__ import annotations

from bot.domain.work import Instructions
from bot.trackers.contract import Issue, ReadThreads
from bot.views.instructions import instructions_of


async def current_text(tracker: ReadThreads, repository: str, issue: Issue) -> Instructions:
    """
    Return the text of an item that was just read; ``repository`` is its ``owner/name``.

    What a pull request changes is asked for without naming a commit, so it counts only when the head was the same
    before and after: else a change of a later head would pass for that of an earlier one. Raises ``TrackerError``.
    """
    if not issue.is_pull_request:
        return instructions_of(issue)
    before = await tracker.pull_request(repository, issue.number)
    diff = await tracker.diff(repository, issue.number)
    pull = await tracker.pull_request(repository, issue.number)
    still = (before.head_sha, before.base_ref) == (pull.head_sha, pull.base_ref)
    return instructions_of(issue, pull, diff if still else None)
