"""One pull request for each Work, whatever gets lost, and none against people's will."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import PublishError, PublishRefusedError, RateLimitedError, TrackerError, TrackerUnavailableError
from bot.publishing.pull_request import Proposal, publish_pull_request
from tests.publishing.conftest import BRANCH
from tests.publishing.tracker import PullRequestTracker

PROPOSAL = Proposal(
    repository="acme/shop", head=BRANCH, base="main", title="Fix login", body="What was done\n\nCloses #42"
)


@pytest.fixture
def tracker() -> PullRequestTracker:
    return PullRequestTracker()


async def test_a_pull_request_is_opened_once(tracker: PullRequestTracker) -> None:
    first = await publish_pull_request(tracker, replace(PROPOSAL, draft=True))
    again = await publish_pull_request(tracker, PROPOSAL)

    assert (first.title, first.base_ref, first.draft) == ("Fix login", "main", True)
    assert again.number == first.number
    assert tracker.writes == 1


async def test_a_changed_body_is_written_and_an_equal_one_is_not(tracker: PullRequestTracker) -> None:
    await publish_pull_request(tracker, PROPOSAL)
    await publish_pull_request(tracker, replace(PROPOSAL, body="What was done\n\nCloses #42\n"))
    assert tracker.writes == 1

    found = await publish_pull_request(tracker, replace(PROPOSAL, body="More was done"))

    assert (found.number, found.body, tracker.writes) == (1, "More was done", 2)


async def test_a_title_that_people_gave_it_stays(tracker: PullRequestTracker) -> None:
    await publish_pull_request(tracker, PROPOSAL)
    tracker.edit(1, title="Let people log in again", body="")

    found = await publish_pull_request(tracker, PROPOSAL)

    assert found.title == "Let people log in again"


# gh-W-05
@pytest.mark.parametrize("error", [TrackerUnavailableError(status=502), TrackerUnavailableError("timeout")])
async def test_a_lost_answer_does_not_open_a_second_one(
    tracker: PullRequestTracker, error: TrackerUnavailableError
) -> None:
    tracker.after.append(error)

    found = await publish_pull_request(tracker, PROPOSAL)

    assert (found.number, len(tracker.pulls)) == (1, 1)


# gh-W-05
async def test_an_answer_that_is_lost_while_nobody_can_look_does_not_either(tracker: PullRequestTracker) -> None:
    tracker.after.append(RateLimitedError(retry_after=1_000))
    with pytest.raises(RateLimitedError):
        await publish_pull_request(tracker, PROPOSAL)

    assert (await publish_pull_request(tracker, PROPOSAL)).number == 1
    assert len(tracker.pulls) == 1


async def test_a_failure_that_did_nothing_is_tried_again_by_the_caller(tracker: PullRequestTracker) -> None:
    tracker.before.append(TrackerUnavailableError(status=500))
    with pytest.raises(TrackerUnavailableError):
        await publish_pull_request(tracker, PROPOSAL)
    assert tracker.pulls == []

    assert (await publish_pull_request(tracker, PROPOSAL)).number == 1


async def test_one_that_someone_opened_meanwhile_is_taken(tracker: PullRequestTracker) -> None:
    tracker.someone_opens = True

    found = await publish_pull_request(tracker, PROPOSAL)

    assert (found.number, found.title, found.body) == (1, "By someone", "What was done\r\n\r\nCloses #42")


@pytest.mark.parametrize(("merged", "word"), [(True, "merged"), (False, "closed")])
async def test_one_that_people_ended_is_not_opened_again(
    tracker: PullRequestTracker, *, merged: bool, word: str
) -> None:
    await publish_pull_request(tracker, PROPOSAL)
    tracker.end(1, merged=merged)

    with pytest.raises(PublishRefusedError, match=f"pull request #1 was {word}") as caught:
        await publish_pull_request(tracker, replace(PROPOSAL, body="More"))

    assert caught.value.permanent
    assert (len(tracker.pulls), tracker.writes) == (1, 1)


@pytest.mark.parametrize("status", [403, 422])
async def test_a_refusal_of_the_tracker_is_permanent_and_tells_why(tracker: PullRequestTracker, status: int) -> None:
    tracker.before.append(TrackerError("the tracker refused: not permitted", status=status))

    with pytest.raises(PublishError, match="not permitted") as caught:
        await publish_pull_request(tracker, PROPOSAL)

    assert caught.value.permanent


@pytest.mark.parametrize("error", [RateLimitedError(status=403, retry_after=1), TrackerError("login", status=401)])
async def test_what_may_pass_is_left_to_the_caller(tracker: PullRequestTracker, error: TrackerError) -> None:
    tracker.before.append(error)

    with pytest.raises(type(error)):
        await publish_pull_request(tracker, PROPOSAL)
