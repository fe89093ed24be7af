"""How Work of each kind lives, and which input triggers an attempt."""

from __future__ import annotations

import pytest

from bot.domain.admission import Reason
from bot.domain.execution import Execution
from bot.domain.kind import Lifecycle
from bot.domain.result import Outcome
from bot.domain.work import BlockedReason, Work, WorkState
from bot.host.kinds import KINDS, newest, oldest, policy_of
from bot.ids import EventId, WorkId
from bot.scheduler.claim import Claimed
from bot.scheduler.router import add_input
from bot.storage.works import Input
from tests.factories import make_binding
from tests.scheduler.bench import Bench

STANDING = make_binding(lifecycle=Lifecycle.STANDING, pool="jobs")
ONCE = make_binding(lifecycle=Lifecycle.RUN_ONCE)


async def tick(bench: Bench, work: Work, name: str) -> None:
    """Let an occurrence of a schedule come due."""
    event = await bench.event(name)
    await bench.do(lambda tx, now: add_input(tx, work, event, kind="tick", author="", body="", now=now))


async def start(bench: Bench, work: Work) -> Claimed:
    pending = await bench.pending(work.id)
    return await bench.claim(work, binding=STANDING, trigger=policy_of("job").trigger(pending))


async def standing(bench: Bench) -> Execution:
    return (await start(bench, await bench.ready())).execution


# C-31
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.HANDOFF])
async def test_standing_work_is_idle_after_an_attempt(bench: Bench, outcome: Outcome) -> None:
    work = (await bench.finished((await standing(bench)).fence, outcome)).work
    assert (work.state, work.ended_at) == (WorkState.READY, None)
    assert await bench.refusal(work) is Reason.NO_INPUT


# C-31
async def test_plain_work_ends_when_it_is_completed(bench: Bench) -> None:
    """The negative control of the test above."""
    execution = await bench.running()
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-32
async def test_work_that_runs_once_is_completed_when_it_hands_back(bench: Bench) -> None:
    execution = await bench.running(binding=ONCE)
    assert (await bench.finished(execution.fence, Outcome.HANDOFF)).work.state is WorkState.COMPLETED


# C-32
async def test_plain_work_that_hands_back_goes_on(bench: Bench) -> None:
    """The negative control of the test above."""
    execution = await bench.running()
    assert (await bench.finished(execution.fence, Outcome.HANDOFF)).work.state is WorkState.READY


# C-30
async def test_an_attempt_keeps_the_lifecycle_that_it_was_claimed_with(bench: Bench) -> None:
    execution = await standing(bench)
    assert (await bench.execution(execution.id)).binding.lifecycle is Lifecycle.STANDING


# C-33
@pytest.mark.parametrize(("chosen", "expected"), [(None, "evt-label/wrk-1-1"), ("evt-two", "evt-two")])
async def test_the_selected_input_triggers_the_attempt_and_all_of_the_batch_is_taken_up(
    bench: Bench, chosen: str | None, expected: str
) -> None:
    work = await bench.ready()
    for name in ("one", "two"):
        await tick(bench, work, name)
    claimed = await bench.claim(work, trigger=None if chosen is None else EventId(chosen))
    assert claimed.execution.trigger == expected
    assert await bench.consumed(claimed.execution) == ["evt-label/wrk-1-1", "evt-one", "evt-two"]


# C-34
async def test_ten_occurrences_that_come_due_while_one_runs_make_one_more_run(bench: Bench) -> None:
    first = await standing(bench)
    work = await bench.work(first.work)
    for number in range(10):
        await tick(bench, work, f"tick-{number}")
    assert (await bench.work(work.id)).state is WorkState.RUNNING
    ended = await bench.finished(first.fence, Outcome.COMPLETED)
    second = await start(bench, ended.work)
    assert second.execution.trigger == "evt-tick-9"
    assert len(second.inputs) == 10
    idle = await bench.finished(second.execution.fence, Outcome.COMPLETED)
    assert await bench.refusal(idle.work) is Reason.NO_INPUT
    assert (await bench.work(work.id)).attempts == 2


# C-152
async def test_an_agent_that_a_job_runs_counts_against_the_agents(bench: Bench) -> None:
    """The pool is that of the executor, whatever asked for the run."""
    work = await bench.ready()
    claimed = await bench.claim(work, binding=make_binding(lifecycle=Lifecycle.STANDING, pool="agents"))
    assert claimed.execution.binding.lifecycle is Lifecycle.STANDING
    assert await bench.see(lambda tx: [tx.executions.slots_of_pool(pool) for pool in ("agents", "jobs")]) == [1, 0]


# C-87
@pytest.mark.parametrize(("terminal", "state"), [(True, WorkState.FAILED), (False, WorkState.EXHAUSTED)])
async def test_the_last_failure_ends_the_work_only_when_its_kind_says_so(
    bench: Bench,
    state: WorkState,
    *,
    terminal: bool,
) -> None:
    execution = await bench.running(binding=make_binding(terminal=terminal))
    work = await bench.fail(execution.fence, permanent=True)
    assert (work.state, work.blocked) == (state, BlockedReason.PERMANENT_FAILURE)
    assert (await bench.pending(work.id) == []) is terminal


def entry(seq: int, kind: str) -> Input:
    return Input(work=WorkId("wrk"), seq=seq, event=EventId(f"evt-{seq}"), kind=kind)


# C-33
@pytest.mark.parametrize(
    ("kinds", "first", "last"),
    [
        (("label",), 1, 1),
        (("tick", "tick", "tick"), 1, 3),
        # What a timer adds to the batch is no occurrence of anything.
        (("tick", "tick", "retry"), 1, 2),
        (("tick", "deferred"), 1, 1),
        (("retry",), 1, 1),
    ],
)
def test_what_stands_for_a_batch_is_its_oldest_or_its_newest_occurrence(
    kinds: tuple[str, ...], first: int, last: int
) -> None:
    batch = [entry(seq, kind) for seq, kind in enumerate(kinds, start=1)]
    assert (oldest(batch), newest(batch)) == (f"evt-{first}", f"evt-{last}")


# C-30
def test_jobs_stand_and_work_on_issues_is_plain() -> None:
    assert {kind: policy.lifecycle for kind, policy in KINDS.items()} == {
        "work-issue": Lifecycle.PLAIN,
        "review-pr": Lifecycle.PLAIN,
        "job": Lifecycle.STANDING,
    }
    assert policy_of("unheard of") == policy_of("work-issue")
