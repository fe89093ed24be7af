"""What a pull request changes counts for the head at which it was read, and for no other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from bot.domain.work import Instructions
from bot.trackers.contract import PullRequest, ReadThreads
from tests.views.test_instructions import DIFF, ISSUE, MOVED, PULL
from webhooks.current_text import current_text

REPO = "acme/shop"


@dataclass
class Moving:
    """A tracker with one pull request, on which somebody pushes before each of its ``pushes`` is read."""

    pull: PullRequest = PULL
    pushes: list[PullRequest] = field(default_factory=list)

    async def pull_request(self, repository: str, number: int) -> PullRequest:
        assert (repository, number) == (REPO, 3)
        seen, self.pull = self.pull, self.pushes.pop(0) if self.pushes else self.pull
        return seen

    async def diff(self, repository: str, number: int) -> bytes | None:
        assert (repository, number) == (REPO, 3)
        return DIFF


async def read(tracker: Moving) -> Instructions:
    return await current_text(cast("ReadThreads", tracker), REPO, ISSUE)


async def test_a_pull_request_that_stays_is_known_with_what_it_changes() -> None:
    found = await read(Moving())
    assert found.head == PULL.head_sha
    assert found.patch


# gh-A-08, gh-A-09
@pytest.mark.parametrize("after", [MOVED, replace(PULL, base_ref="release")], ids=["head", "base"])
async def test_what_was_read_while_somebody_pushed_is_no_change_that_is_known(after: PullRequest) -> None:
    found = await read(Moving(pushes=[after]))
    assert (found.head, found.patch) == (after.head_sha, "")


async def test_an_issue_is_asked_for_nothing_more() -> None:
    issue = replace(ISSUE, is_pull_request=False)
    found = await current_text(cast("ReadThreads", None), REPO, issue)
    assert (found.title, found.head) == (issue.title, "")
