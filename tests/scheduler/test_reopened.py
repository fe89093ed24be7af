"""
What the scheduler is for, from end to end, with a database that stays open and with one that is opened anew each time.

With handles of its own for each step, nothing can be remembered but what is stored (C-194). What the scheduler owes at
least (C-195) is proved here as a whole, and in detail by:

===========================================  ==========================================================
a launch that blocks holds up no other       test_claim, host/test_starting
capacity: global, of a scope, of ancestors   test_capacity
recovery of the same attempt                 test_recover
callbacks that come too late                 test_zombies, test_recover
a restart with a launch that is uncertain    test_recover, host/test_adoption
slots that are taken until a stop is proved  test_capacity, host/test_lost_authority
cancelling, in every order                   test_cancel
input while an attempt completes             test_finish, test_controls
interrupting                                 test_interrupt, host/test_dispatching
deadlines                                    test_timeout, test_stall
handing on                                   test_finish, test_handoff
retry and capabilities pinned at the claim   test_claim, test_controls, host/test_starting
a launch that was never acknowledged         test_launch, host/test_lost_authority
bounds of retries                            test_retry
what becomes of input that cannot be given   test_controls
===========================================  ==========================================================
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import pytest

from bot.clock import MINUTE
from bot.domain.admission import Limits, Reason
from bot.domain.control import Answer, Answered, ControlState
from bot.domain.execution import Phase
from bot.domain.kind import Fallback
from bot.domain.result import Outcome, Result
from bot.domain.retry import RetryPolicy
from bot.domain.scope import owner_scope, repository_scope
from bot.domain.turn import Turn
from bot.domain.work import WorkState
from bot.errors import ExecutorError, StaleEpochError
from bot.ids import EventId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.interrupt import interrupt
from bot.scheduler.recover import confirm_stopped
from bot.scheduler.timeout import time_out
from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.factories import LEASE, TIMEOUT, make_binding
from tests.scheduler.bench import Bench
from tests.scheduler.controlled import ACCEPTED, TALKS, answer, controls, offered, taken, talking
from tests.scheduler.parking import parked, resumed
from tests.sequence import Ids
from tests.storage.backend import Backend
from tests.storage.twice import Writable

T = TypeVar("T")


class Reopened:
    """A store that is opened for one change or query, and closed after it."""

    def __init__(self, backend: Backend, place: str) -> None:
        self._backend, self._place = backend, place

    async def write(self, change: Callable[[Tx], T], /) -> T:
        store = await self._backend.open(self._place, bind=Tx)
        try:
            return await store.write(change)
        finally:
            await store.close()

    async def read(self, query: Callable[[Tx], T], /) -> T:
        store = await self._backend.open(self._place, bind=Tx)
        try:
            return await store.read(query)
        finally:
            await store.close()

    async def close(self) -> None:
        """Do nothing: nothing stays open."""


@pytest.fixture(params=["persistent", "reopened"])
async def bench(
    request: pytest.FixtureRequest, backend: Backend, place: str, clock: FakeClock, ids: Ids
) -> AsyncIterator[Bench]:
    store: Writable[Tx] = (
        Reopened(backend, place) if request.param == "reopened" else await backend.open(place, bind=Tx)
    )
    yield Bench(store, clock, ids)
    await store.close()


async def runs_to_its_end(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, turn=Turn(status="done"), units={"usd": 0.5}))
    ended = await bench.finished(execution.fence, Outcome.COMPLETED, status="done")
    assert (ended.work.state, ended.work.usage) == (WorkState.COMPLETED, {"usd": 0.5})
    assert not (await bench.execution(execution.id)).slot


async def fails_and_is_tried_again(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    assert await bench.refusal(work) is Reason.RETRY_DUE
    again = await bench.claim(await bench.retry(work.id))
    assert (again.execution.number, again.work.failures) == (2, 1)
    assert [entry.kind for entry in again.inputs] == ["label", "retry"]


async def is_recovered_as_the_same_attempt(bench: Bench) -> None:
    execution = await bench.running()
    taken = await bench.recovered(execution.id)
    assert (taken.execution.number, taken.execution.epoch, taken.relaunch) == (1, 2, False)
    await bench.confirm(taken.execution.fence)
    assert (await bench.finished(taken.execution.fence, Outcome.COMPLETED)).work.failures == 0


async def is_launched_again_when_nothing_was_started(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    taken = await bench.recovered(fence.execution)
    assert taken.relaunch
    assert (await bench.run(taken.execution.fence)).phase is Phase.RUNNING


async def refuses_what_comes_too_late(bench: Bench) -> None:
    execution = await bench.running()
    taken = await bench.recovered(execution.id)
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    with pytest.raises(StaleEpochError):
        await bench.finished(execution.fence, Outcome.COMPLETED)
    assert await bench.execution(execution.id) == taken.execution


async def is_adopted_after_an_uncertain_launch(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    await bench.begin(fence)
    taken = await bench.recovered(fence.execution)
    assert (taken.relaunch, taken.execution.phase) == (False, Phase.RECOVERING)
    work = await bench.fail(taken.execution.fence, stopped=False)
    assert (await bench.execution(fence.execution)).slot, "something may run"
    await bench.retry(work.id)
    assert await bench.refusal(work) is Reason.STOPPING


async def frees_its_slot_on_proof_only(bench: Bench) -> None:
    execution = await bench.running(1)
    other = await bench.ready(2)
    one = Limits(default=1, pools=())
    await bench.fail(execution.fence, stopped=False)
    assert await bench.refusal(other, limits=one) is Reason.POOL_FULL
    assert await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    await bench.claim(other, limits=one)


async def is_cancelled_while_it_runs(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    with pytest.raises(StaleEpochError):
        await bench.confirm(execution.fence)
    work = await bench.work(execution.work)
    assert (work.state, work.ended_by, work.reason) == (WorkState.CANCELLED, "ada", "no")
    assert await bench.pending(work.id) == []
    assert (await bench.execution(execution.id)).slot


async def waits_and_is_woken(bench: Bench) -> None:
    execution = await bench.running()
    await bench.finished(execution.fence, Outcome.WAITING)
    work = await bench.work(execution.work)
    assert await bench.refusal(work) is Reason.WAITING
    work = await bench.comment(work.id)
    again = await bench.claim(work)
    assert (again.execution.number, [entry.kind for entry in again.inputs]) == (2, ["comment"])


async def goes_on_with_input_that_came_while_it_ended(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    ended = await bench.finished(execution.fence, Outcome.COMPLETED)
    assert ended.work.state is WorkState.READY
    again = await bench.claim(ended.work)
    assert [entry.kind for entry in again.inputs] == ["comment"]


async def is_timed_out(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(TIMEOUT)
    taken = await bench.recover(execution.id)
    assert taken is not None
    fence, timer = taken.execution.fence, TimerId("tmr-late")
    assert await bench.do(lambda tx, now: time_out(tx, fence, timer=timer, now=now))
    ended = await bench.execution(execution.id)
    assert (ended.outcome, ended.slot, ended.segments.active()) == (Outcome.FAILED, True, TIMEOUT)


async def hands_on(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    assert ended.work.state is WorkState.READY
    assert await bench.refusal(ended.work) is Reason.NO_INPUT


async def stops_when_its_retries_are_used_up(bench: Bench) -> None:
    work = await bench.ready()
    for attempt in (1, 2, 3):
        claimed = await bench.claim(work)
        assert claimed.execution.number == attempt
        await bench.run(claimed.execution.fence)
        work = await bench.fail(claimed.execution.fence)
        if attempt < 3:
            work = await bench.retry(work.id)
    assert (work.state, await bench.timer(work.id)) == (WorkState.EXHAUSTED, None)


async def keeps_a_lease_over_a_clock_that_is_set_back(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(-MINUTE)
    until = await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=LEASE))
    assert until == execution.lease_until


async def lets_another_start_while_its_launch_blocks(bench: Bench) -> None:
    fence = (await bench.claimed(1)).execution.fence
    await bench.begin(fence)
    assert (await bench.running(2)).phase is Phase.RUNNING
    assert (await bench.execution(fence.execution)).phase is Phase.LAUNCHING


async def keeps_to_the_limits_of_its_scope_and_of_those_above(bench: Bench) -> None:
    limits = Limits(default=9, pools=(), scopes=((owner_scope(1), 2), (repository_scope(1), 1)))
    await bench.claim(await bench.ready(1), limits=limits)
    assert await bench.refusal(await bench.ready(2), limits=limits) is Reason.SCOPE_FULL
    await bench.claim(await bench.ready(1, repository=2), limits=limits)
    assert await bench.refusal(await bench.ready(1, repository=3), limits=limits) is Reason.SCOPE_FULL
    await bench.claim(await bench.ready(1, repository=4, owner=2), limits=limits)


async def is_interrupted(bench: Bench) -> None:
    execution = await bench.running()
    stopped = await bench.do(lambda tx, now: interrupt(tx, execution.work, by="ada", reason="no", seq=1, now=now))
    assert stopped is not None
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    assert await bench.refusal(stopped.work) is Reason.STOPPING
    assert await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    again = await bench.claim(stopped.work)
    assert (again.execution.number, [entry.kind for entry in again.inputs]) == (2, ["label"])


async def takes_up_input_that_is_under_way_when_it_ends(bench: Bench) -> None:
    execution = await talking(bench)
    control, other = await offered(bench, execution, "one"), await offered(bench, execution, "two")
    for each in (control, other):
        await taken(bench, each)
    await bench.result(execution.fence, Result(ok=True, consumed=(EventId("evt-one"),)))
    assert await answer(bench, control, ACCEPTED) is None
    assert await answer(bench, other, ACCEPTED) is ControlState.STALE
    ended = await bench.finished(execution.fence, Outcome.COMPLETED)
    assert ended.work.state is WorkState.READY, "nobody knows whether it took up the other"
    assert [entry.event for entry in await bench.pending(ended.work.id)] == ["evt-two"]


async def gives_up_what_it_cannot_be_told_as_it_was_claimed_to(bench: Bench) -> None:
    execution = await talking(bench, fallback=Fallback.DROP)
    control = await offered(bench, execution)
    await taken(bench, control)
    assert await answer(bench, control, Answered(answer=Answer.IMPOSSIBLE)) is ControlState.DROPPED
    assert await bench.kinds(execution.work) == ["comment"]


async def keeps_what_it_was_claimed_with_and_the_next_one_does_not(bench: Bench) -> None:
    once = make_binding(retry=RetryPolicy(delays=(MINUTE,)), generation="old")
    execution = await bench.run((await bench.claimed(binding=once)).execution.fence)
    taken_over = (await bench.recovered(execution.id)).execution
    await bench.comment(execution.work)
    assert (taken_over.binding, await controls(bench, execution.id)) == (once, [])
    work = await bench.fail(taken_over.fence)
    timer = await bench.timer(work.id)
    assert timer is not None
    assert timer.due_at == bench.clock.now() + MINUTE
    new = make_binding(generation="new", capabilities=TALKS)
    again = (await bench.claim(await bench.retry(work.id), binding=new)).execution
    assert again.binding == new


async def keeps_its_slot_when_its_launch_is_never_acknowledged(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    await bench.begin(execution.fence)
    with pytest.raises(ExecutorError, match="find it again"):
        await bench.confirm(execution.fence)
    work = await bench.fail(execution.fence, stopped=False, permanent=True)
    assert (work.state, (await bench.execution(execution.id)).slot) == (WorkState.EXHAUSTED, True)


async def is_parked_and_goes_on(bench: Bench) -> None:
    execution = await bench.running()
    work = await parked(bench, execution)
    bench.clock.advance(2 * TIMEOUT)
    again = await resumed(bench, work)
    assert (again.id, again.number, again.deadline) == (execution.id, 1, bench.clock.now() + TIMEOUT)


CASES: tuple[Callable[[Bench], Awaitable[None]], ...] = (
    runs_to_its_end,
    fails_and_is_tried_again,
    is_recovered_as_the_same_attempt,
    is_launched_again_when_nothing_was_started,
    refuses_what_comes_too_late,
    is_adopted_after_an_uncertain_launch,
    frees_its_slot_on_proof_only,
    is_cancelled_while_it_runs,
    waits_and_is_woken,
    goes_on_with_input_that_came_while_it_ended,
    is_timed_out,
    hands_on,
    stops_when_its_retries_are_used_up,
    keeps_a_lease_over_a_clock_that_is_set_back,
    lets_another_start_while_its_launch_blocks,
    keeps_to_the_limits_of_its_scope_and_of_those_above,
    is_interrupted,
    takes_up_input_that_is_under_way_when_it_ends,
    gives_up_what_it_cannot_be_told_as_it_was_claimed_to,
    keeps_what_it_was_claimed_with_and_the_next_one_does_not,
    keeps_its_slot_when_its_launch_is_never_acknowledged,
    is_parked_and_goes_on,
)


# C-194, C-195
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
async def test_an_attempt(bench: Bench, case: Callable[[Bench], Awaitable[None]]) -> None:
    await case(bench)
