"""What an executor knows of when to try again: hints of failed attempts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import DAY, HOUR, MINUTE, SECOND, Millis
from bot.domain.admission import Reason
from bot.domain.kind import Lifecycle
from bot.domain.result import Outcome
from bot.domain.retry import LONGEST_HINT, Rest, RetryAt, RetryHint, RetryPolicy, after_failure
from bot.domain.work import BlockedReason, Work, WorkState
from tests.clock import START
from tests.factories import make_binding
from tests.scheduler.bench import Bench

STANDING = make_binding(lifecycle=Lifecycle.STANDING)


async def hinted(bench: Bench, reset_at: Millis | None, **binding: object) -> Work:
    execution = await bench.running(binding=make_binding(**binding))
    return await bench.fail(execution.fence, hint=RetryHint(reset_at=reset_at))


async def due_in(bench: Bench, work: Work) -> int:
    timer = await bench.timer(work.id)
    assert timer is not None
    return timer.due_at - bench.clock.now()


# C-110
async def test_a_hint_names_a_reset_and_the_next_try_is_two_minutes_later(bench: Bench) -> None:
    work = await hinted(bench, Millis(START + HOUR))
    assert await due_in(bench, work) == HOUR + 2 * MINUTE


# C-110
async def test_an_unknown_reset_is_waited_for_half_an_hour(bench: Bench) -> None:
    assert await due_in(bench, await hinted(bench, None)) == 30 * MINUTE


# C-110
async def test_without_a_hint_the_first_delay_counts(bench: Bench) -> None:
    """The negative control of the two tests above."""
    work = await bench.fail((await bench.running()).fence)
    assert await due_in(bench, work) == 5 * MINUTE


# C-113
@pytest.mark.parametrize(
    "said",
    ["429 Too Many Requests, retry-after: 3600", "usage limit reached, resets 21:02 UTC", "401 invalid x-api-key"],
)
async def test_what_a_failure_says_is_never_read(bench: Bench, said: str) -> None:
    """What an error of a provider means is for its executor to say, by a hint, a deferral or a mark."""
    execution = await bench.running()
    work = (await bench.finished(execution.fence, Outcome.FAILED, summary=said)).work
    assert (work.failures, work.reason, await due_in(bench, work)) == (1, said, 5 * MINUTE)


# C-111
@pytest.mark.parametrize(
    "reset_at",
    [
        pytest.param(START - SECOND, id="past"),
        pytest.param(START + LONGEST_HINT + 1, id="too far away"),
        pytest.param(START // SECOND, id="seconds, not milliseconds"),
    ],
)
async def test_a_hint_that_makes_no_sense_fails_and_is_said(bench: Bench, reset_at: int) -> None:
    work = await hinted(bench, Millis(reset_at))
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.INVALID_HINT)
    assert work.reason == (
        "it broke. The time that was named for another try is past or too far away, "
        "so nothing is tried again by itself."
    )
    assert await bench.timer(work.id) is None
    assert await bench.kinds(work.id) == ["label"], "its input is there for a retry"


# C-111
@pytest.mark.parametrize("reset_at", [START, START + LONGEST_HINT])
async def test_a_hint_at_either_end_of_what_makes_sense_is_taken(bench: Bench, reset_at: int) -> None:
    work = await hinted(bench, Millis(reset_at))
    assert await due_in(bench, work) == reset_at - START + 2 * MINUTE


# C-112
async def test_hinted_failures_use_up_the_budget_of_failures(bench: Bench) -> None:
    policy = RetryPolicy(delays=(MINUTE,))
    work = await hinted(bench, None, retry=policy)
    assert (work.state, work.failures) == (WorkState.READY, 1)
    again = await bench.run(
        (await bench.claim(await bench.retry(work.id), binding=make_binding(retry=policy))).execution.fence
    )
    work = await bench.fail(again.fence, hint=RetryHint())
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.RETRIES_EXHAUSTED)


# C-114
async def test_a_permanent_failure_is_not_helped_by_a_hint(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence, permanent=True, hint=RetryHint())
    assert work.blocked is BlockedReason.PERMANENT_FAILURE
    assert await bench.timer(work.id) is None


# C-117
async def test_a_hinted_failure_of_standing_work_keeps_it_from_starting_and_exhausts_nothing(bench: Bench) -> None:
    execution = await bench.running(binding=make_binding(lifecycle=Lifecycle.STANDING, retry=RetryPolicy(delays=())))
    work = await bench.fail(execution.fence, hint=RetryHint())
    assert work.state is WorkState.READY
    await bench.comment(work.id)
    assert await bench.refusal(work) is Reason.RETRY_DUE
    claimed = await bench.claim(await bench.retry(work.id))
    assert [entry.kind for entry in claimed.inputs] == ["label", "comment", "retry"]


# C-31, C-117
async def test_a_hintless_failure_of_standing_work_arms_nothing(bench: Bench) -> None:
    execution = await bench.running(binding=STANDING)
    work = await bench.fail(execution.fence)
    assert await bench.timer(work.id) is None
    assert (work.state, work.blocked) == (WorkState.READY, None)
    assert await bench.refusal(work) is Reason.NO_INPUT
    await bench.comment(work.id)
    claimed = await bench.claim(work, binding=STANDING)
    assert [entry.kind for entry in claimed.inputs] == ["comment"], "the next occurrence, not the one that failed"


# C-118
async def test_a_standing_work_with_five_hundred_failures_takes_a_hint(bench: Bench) -> None:
    execution = await bench.running(binding=STANDING)
    await bench.do(lambda tx, now: tx.works.save(replace(tx.works.get(execution.work), failures=500), now))
    work = await bench.fail(execution.fence, hint=RetryHint(reset_at=Millis(START + HOUR)))
    assert (work.state, work.failures) == (WorkState.READY, 501)
    assert await due_in(bench, work) == HOUR + 2 * MINUTE


# C-118
def test_plain_work_with_as_many_failures_is_exhausted_hint_or_not() -> None:
    policy = RetryPolicy()
    for hint in (None, RetryHint()):
        assert after_failure(policy, 500, START, permanent=False, hint=hint) is BlockedReason.RETRIES_EXHAUSTED


def test_a_failure_that_is_permanent_does_not_exhaust_standing_work() -> None:
    standing = Lifecycle.STANDING
    assert after_failure(RetryPolicy(), 1, START, permanent=True, lifecycle=standing) == Rest()
    hint = RetryHint(reset_at=Millis(START + DAY))
    answer = after_failure(RetryPolicy(), 1, START, permanent=True, hint=hint, lifecycle=standing)
    assert answer == RetryAt(due_at=Millis(START + DAY + 2 * MINUTE))
