"""Recovery: attempts whose holder is gone are claimed again, and what may be running is never started twice."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from bot.clock import MINUTE, SECOND
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Outcome, Result
from bot.domain.segment import MAX_SEGMENTS, Invoke, Segment, Segments
from bot.domain.turn import Turn
from bot.domain.work import WorkState
from bot.errors import StaleEpochError
from bot.scheduler.cancel import cancel
from bot.scheduler.launch import pin_sandbox
from bot.scheduler.recover import adoptable, confirm_stopped, recover, relaunchable
from tests.factories import LEASE, TIMEOUT
from tests.scheduler.bench import Bench

Step = Callable[[Bench, Fence], Awaitable[None]]


async def _nothing(bench: Bench, fence: Fence) -> None:
    """Die between the claim and the call."""


async def _called(bench: Bench, fence: Fence) -> None:
    await bench.begin(fence)


async def _called_in_isolation(bench: Bench, fence: Fence) -> None:
    await bench.begin(fence, isolated=True)


async def _pinned_in_isolation(bench: Bench, fence: Fence) -> None:
    await bench.begin(fence, isolated=True)
    await bench.persist(fence)


async def _metadata_stored(bench: Bench, fence: Fence) -> None:
    await bench.begin(fence)
    await bench.persist(fence)


async def _runs(bench: Bench, fence: Fence) -> None:
    await bench.run(fence)


# C-56, gh-W-07
async def test_a_lapsed_attempt_is_claimed_again_at_a_higher_epoch(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    taken = await bench.recovered(execution.id)

    stored = await bench.execution(execution.id)
    assert stored == taken.execution
    assert (stored.epoch, stored.owner, stored.number) == (2, "host-b", 1)
    assert stored.lease_until == bench.clock.now() + LEASE
    assert stored.phase is Phase.RECOVERING, "written before the executor is asked to find the run"
    assert stored.recovery == {"pid": 1}
    assert [entry.kind for entry in taken.inputs] == ["label"], "what it had consumed, and nothing newer"
    assert taken.work.state is WorkState.RUNNING
    assert (await bench.confirm(stored.fence)).phase is Phase.RUNNING


# C-56, gh-Z-09, gh-Z-10
async def test_of_two_hosts_one_takes_a_lapsed_attempt_over(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(LEASE)
    answers = [
        await bench.do(lambda tx, now: recover(tx, execution, owner=owner, lease=LEASE, now=now))  # noqa: B023 - run at once
        for owner in ("host-b", "host-c")
    ]
    assert answers[0] is not None
    assert answers[1] is None
    assert (await bench.execution(execution.id)).owner == "host-b"


# C-56 (negative control), ag-G10
async def test_an_attempt_whose_lease_is_live_is_left_alone(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(LEASE - 1)
    assert await bench.recover(execution.id) is None
    assert await bench.execution(execution.id) == execution


# C-38
async def test_recovery_joins_the_segments_without_a_gap(bench: Bench) -> None:
    started = bench.clock.now()
    execution = await bench.running()
    bench.clock.advance(5 * MINUTE)
    taken = await bench.recover(execution.id)
    assert taken is not None
    now = bench.clock.now()
    first, second = taken.execution.segments.kept
    assert (first.started_at, first.ended_at) == (started, now)
    assert second == Segment(started_at=now, invoke=Invoke.CALLED, recovered=True)


# C-38
async def test_segments_join_without_a_gap_also_after_the_clock_stepped_back(bench: Bench) -> None:
    execution = await bench.running()
    taken = await bench.recovered(execution.id)
    bench.clock.advance(-8 * SECOND)
    await bench.do(lambda tx, now: tx.executions.release(taken.execution.fence, now=now, due=now))
    again = await bench.recover(execution.id)
    assert again is not None
    kept = again.execution.segments.kept
    assert [before.ended_at for before in kept[:-1]] == [after.started_at for after in kept[1:]]


# C-35, C-39
@pytest.mark.parametrize("released", [False, True], ids=["after a crash", "after a release"])
async def test_time_without_a_holder_is_charged_to_budget_and_segments(bench: Bench, *, released: bool) -> None:
    started = bench.clock.now()
    execution = await bench.running()
    bench.clock.advance(20 * SECOND)
    if released:
        await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    bench.clock.advance(10 * MINUTE)
    taken = await bench.recover(execution.id)
    assert taken is not None
    assert taken.execution.deadline == started + TIMEOUT

    bench.clock.advance(30 * SECOND)
    ended = (await bench.finished(taken.execution.fence, Outcome.HANDOFF)).execution
    assert ended.segments.active() == bench.clock.now() - started == 10 * MINUTE + 50 * SECOND


# C-41
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.WAITING, Outcome.HANDOFF, Outcome.FAILED])
async def test_every_end_closes_the_last_segment(bench: Bench, outcome: Outcome) -> None:
    execution = await bench.running()
    now = bench.clock.advance(SECOND)
    await bench.finished(execution.fence, outcome)
    stored = await bench.execution(execution.id)
    assert stored.segments.kept[-1].ended_at == stored.ended_at == now
    assert stored.phase is Phase.FINISHED


# C-41
async def test_a_cancelled_attempt_closes_its_last_segment(bench: Bench) -> None:
    execution = await bench.running()
    now = bench.clock.advance(SECOND)
    await bench.do(lambda tx, when: cancel(tx, execution.work, by="ada", reason="no", now=when))
    assert (await bench.execution(execution.id)).segments.kept[-1].ended_at == now


# C-48
async def test_only_the_last_segments_are_kept_and_the_dropped_ones_are_summed(bench: Bench) -> None:
    started = bench.clock.now()
    execution = await bench.running()
    for _ in range(MAX_SEGMENTS + 4):
        bench.clock.advance(LEASE)
        taken = await bench.recover(execution.id)
        assert taken is not None
        execution = taken.execution
    segments = (await bench.execution(execution.id)).segments
    assert len(segments.kept) == MAX_SEGMENTS
    assert (segments.dropped, segments.dropped_time) == (5, 5 * LEASE)
    assert segments.end(bench.clock.now()).active() == bench.clock.now() - started


# C-50, C-59, C-62
@pytest.mark.parametrize("step", [_nothing, _called_in_isolation])
async def test_a_launch_that_cannot_have_started_anything_is_launched_again(bench: Bench, step: Step) -> None:
    fence = (await bench.claimed()).execution.fence
    await step(bench, fence)
    taken = await bench.recovered(fence.execution)
    assert taken.relaunch
    assert taken.execution.segments.active() == LEASE, "a segment is time under a lease: nothing ran in this one"
    assert taken.execution.phase is Phase.LAUNCHING
    assert taken.execution.segments.open == Segment(
        started_at=bench.clock.now(), invoke=Invoke.PENDING, recovered=True, relaunched=True
    )
    assert (taken.execution.number, taken.work.attempts, taken.work.failures) == (1, 1, 0)
    assert await bench.timer(taken.work.id) is None, "nothing failed, so nothing backs off"
    assert (await bench.run(taken.execution.fence)).phase is Phase.RUNNING


# C-58, C-64, C-65, C-196
@pytest.mark.parametrize("step", [_called, _pinned_in_isolation, _metadata_stored, _runs])
async def test_a_launch_that_may_have_started_something_is_adopted(bench: Bench, step: Step) -> None:
    fence = (await bench.claimed()).execution.fence
    await step(bench, fence)
    taken = await bench.recovered(fence.execution)
    assert not taken.relaunch
    assert taken.execution.phase is Phase.RECOVERING
    assert not taken.execution.segments.open.relaunched


# C-58, C-61
async def test_a_relaunch_that_was_called_and_lost_too_is_adopted(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    first = await bench.recovered(fence.execution)
    assert first.relaunch
    await bench.begin(first.execution.fence)
    assert not (await bench.recovered(fence.execution)).relaunch


# C-58
async def test_a_launch_that_was_called_after_it_was_listed_as_lapsed_is_adopted(bench: Bench) -> None:
    """The list of lapsed attempts may be older than what their holder wrote last, with a clock of its own."""
    execution = (await bench.claimed()).execution
    seen = await bench.execution(execution.id)
    assert relaunchable(seen)
    await bench.begin(execution.fence)
    bench.clock.advance(LEASE)
    taken = await bench.do(lambda tx, now: recover(tx, seen, owner="host-b", lease=LEASE, now=now))
    assert taken is not None
    assert not taken.relaunch
    assert taken.execution.segments.open.invoke is Invoke.CALLED


# C-49, C-60, C-100, C-151, C-156
async def test_a_segment_that_does_not_say_how_far_it_got_is_adopted(bench: Bench) -> None:
    """No earlier release wrote anything: what a row does not say is read as that which can do no harm."""
    execution = (await bench.claimed()).execution
    document = execution.segments.to_document()
    kept = document["kept"]
    assert isinstance(kept, list)
    del kept[-1]["invoke"]
    old = Segments.from_document(document)
    assert relaunchable(execution), "negative control: it would be, if it said that nothing was called"
    assert not relaunchable(replace(execution, segments=old))


# C-62, C-63
async def test_the_launch_that_was_lost_can_do_no_harm_to_the_new_one(bench: Bench) -> None:
    old = (await bench.claimed()).execution.fence
    taken = await bench.recovered(old.execution)
    for late in (bench.begin, bench.persist, bench.confirm):
        with pytest.raises(StaleEpochError):
            await late(old)
    assert await bench.execution(old.execution) == taken.execution


# C-67
async def test_what_a_run_declared_is_carried_over(bench: Bench) -> None:
    execution = await bench.running()
    token = secrets.token_hex(8)
    await bench.begin(execution.fence, token=token)
    await bench.declare(token, Turn(status="review"))
    taken = await bench.recovered(execution.id)
    observed = await bench.result(taken.execution.fence, Result(ok=True))
    assert observed.result is not None
    assert observed.result.turn == Turn(status="review")


# C-67
async def test_a_relaunch_takes_the_token_of_the_lost_launch_away(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    token = secrets.token_hex(8)
    await bench.begin(execution.fence, token=token, isolated=True)
    taken = await bench.recovered(execution.id)
    assert taken.relaunch
    assert not await bench.declare(token, Turn(status="done"))


async def test_an_attempt_with_a_stored_result_goes_on_with_publishing(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, turn=Turn(status="review"), units={"usd": 1.5}))
    taken = await bench.recovered(execution.id)
    assert taken.execution.phase is Phase.PUBLISHING
    assert not taken.relaunch
    ended = await bench.finished(taken.execution.fence, Outcome.COMPLETED)
    assert ended.work.usage == {"usd": 1.5}
    assert not ended.execution.slot


# C-71
async def test_an_attempt_is_adoptable_while_it_is_unfinished_at_this_epoch_or_a_later_one(bench: Bench) -> None:
    execution = await bench.running()

    async def answer(epoch: int) -> bool:
        fence = Fence(execution=execution.id, epoch=epoch)
        return await bench.see(lambda tx: adoptable(tx, fence))

    assert [await answer(epoch) for epoch in (1, 2)] == [True, False]
    bench.clock.advance(LEASE)
    assert await answer(1), "a lease that merely lapsed belongs to recovery"
    await bench.recover(execution.id)
    assert [await answer(epoch) for epoch in (1, 2, 3)] == [True, True, False]


async def _cancels(bench: Bench, execution: Execution) -> None:
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))


async def _finishes(bench: Bench, execution: Execution) -> None:
    await bench.finished(execution.fence, Outcome.HANDOFF, stopped=False)


# C-71
@pytest.mark.parametrize("end", [_cancels, _finishes])
async def test_an_attempt_that_has_ended_is_not_adoptable(
    bench: Bench, end: Callable[[Bench, Execution], Awaitable[None]]
) -> None:
    execution = await bench.running()
    await end(bench, execution)
    assert not await bench.see(lambda tx: adoptable(tx, execution.fence))
    bench.clock.advance(LEASE)
    assert await bench.recover(execution.id) is None
    assert await bench.see(lambda tx: tx.executions.lapsed(bench.clock.now())) == []


# C-77
async def test_only_the_slot_of_an_ended_attempt_is_freed(bench: Bench) -> None:
    execution = await bench.running()

    async def confirms() -> bool:
        return await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))

    assert not await confirms(), "it is live"
    await bench.fail(execution.fence, stopped=False)
    assert await confirms()
    assert not await confirms(), "it is free already"


# C-79
async def test_a_proof_for_an_older_epoch_frees_nothing(bench: Bench) -> None:
    execution = await bench.running()
    taken = await bench.recovered(execution.id)
    await bench.fail(taken.execution.fence, stopped=False)
    assert not await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert (await bench.execution(execution.id)).slot
    assert await bench.do(lambda tx, _: confirm_stopped(tx, taken.execution.fence))


# C-80
async def test_an_adoption_carries_the_sandbox_that_the_run_is_kept_in(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    await bench.begin(fence, isolated=True)
    await bench.do(lambda tx, now: pin_sandbox(tx, fence, "digest-of-its-plan", now))
    taken = await bench.recovered(fence.execution)
    assert not taken.relaunch, "what is pinned may run"
    again = await bench.recovered(fence.execution)
    assert [segment.sandbox for segment in again.execution.segments.kept] == ["digest-of-its-plan"] * 3


# C-79
async def test_a_list_from_before_another_adoption_takes_nothing_over(bench: Bench) -> None:
    execution = await bench.running()
    await bench.recovered(execution.id)
    bench.clock.advance(LEASE)
    old = await bench.do(lambda tx, now: recover(tx, execution, owner="host-c", lease=LEASE, now=now))
    assert old is None, "it looks again first"
    assert await bench.recover(execution.id) is not None, "negative control"
