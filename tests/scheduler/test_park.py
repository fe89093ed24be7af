"""Attempts that stop inside their turn, and go on in it when what they wait for has come true."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.clock import DAY, MINUTE, SECOND, Millis
from bot.domain.admission import Limits, Reason
from bot.domain.event import Event, Routing
from bot.domain.execution import Phase
from bot.domain.result import Outcome, Result
from bot.domain.segment import MAX_SEGMENTS, Invoke, Segment
from bot.domain.turn import EVENT, Turn
from bot.domain.wait import Awaited
from bot.domain.work import WorkState
from bot.errors import StaleEpochError
from bot.ids import EventId, HoldId, TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.finish import Finished
from bot.scheduler.holds import Release, place_operator_hold, release_hold
from bot.scheduler.router import add_input
from bot.scheduler.timeout import overdue, time_out
from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.factories import LEASE, TIMEOUT, make_binding
from tests.scheduler.bench import Bench
from tests.scheduler.parking import alarm, parked, resumed, suspended, try_park, work_on
from tests.sequence import Ids
from tests.storage.backend import INLINE

ONE = Limits(default=1, pools=())
TIMER = TimerId("tmr")


# C-37
async def test_parking_ends_the_open_segment_and_keeps_what_is_left_of_the_time(bench: Bench) -> None:
    started = bench.clock.now()
    execution = await bench.running()
    now = bench.clock.advance(10 * SECOND)
    work = await parked(bench, execution, session={"id": "s-9", "n": 1})

    stored = await bench.execution(execution.id)
    assert stored.phase is Phase.PARKED
    assert [(each.started_at, each.ended_at) for each in stored.segments.kept] == [(started, now)]
    assert stored.remaining == TIMEOUT - 10 * SECOND
    assert stored.suspended == {"id": "s-9", "n": 1}
    assert (stored.ended_at, stored.outcome, stored.epoch) == (None, None, 1), "the attempt has not ended"
    assert (work.state, work.waits, work.status, work.attempts) == (WorkState.WAITING, ("comment",), "review", 1)


# C-41
async def test_a_wait_that_is_no_suspension_ends_the_attempt_and_the_next_one_has_its_whole_time(bench: Bench) -> None:
    """The negative control of parking: the wake starts attempt 2."""
    execution = await bench.running()
    bench.clock.advance(10 * SECOND)
    await bench.finished(execution.fence, Outcome.WAITING)
    ended = await bench.execution(execution.id)
    assert (ended.phase, ended.remaining) == (Phase.FINISHED, None)
    assert ended.segments.kept[-1].ended_at == ended.ended_at == bench.clock.now()

    following = (await bench.claim(await bench.comment(execution.work))).execution
    assert (following.number, following.epoch) == (2, 1)
    assert following.deadline == bench.clock.now() + TIMEOUT
    assert following.segments.kept == (Segment(started_at=bench.clock.now()),), "nothing is resumed, so nothing woke it"


# ag-L03
async def test_parked_work_uses_no_slot(bench: Bench) -> None:
    execution = await bench.run((await bench.claimed(1, limits=ONE)).execution.fence)
    other = await bench.ready(2)
    assert await bench.refusal(other, limits=ONE) is Reason.POOL_FULL, "while it runs, it has the only slot"
    waiting = await parked(bench, execution)
    second = (await bench.claim(other, limits=ONE)).execution

    woken = await bench.comment(waiting.id)
    assert woken.state is WorkState.READY
    assert await bench.refusal(woken, limits=ONE) is Reason.POOL_FULL, "to go on it needs a slot like any other"
    await bench.finished((await bench.run(second.fence)).fence, Outcome.COMPLETED)
    again = (await bench.claim(woken, limits=ONE)).execution
    assert (again.id, again.slot) == (execution.id, True)


# C-36
async def test_the_wake_begins_a_segment_that_names_its_event(bench: Bench) -> None:
    work = await parked(bench, await bench.running())
    bench.clock.advance(MINUTE)
    again = await resumed(bench, work, "an answer")
    assert again.segments.open == Segment(started_at=bench.clock.now(), wake=EventId("evt-an answer"))
    assert again.segments.open.invoke is Invoke.PENDING
    assert again.segments.kept[0].wake is None, "the first one was not woken by anything"


# C-36
async def test_a_resumed_attempt_is_the_same_attempt_at_the_next_epoch(bench: Bench) -> None:
    execution = await bench.running()
    work = await parked(bench, execution, session={"id": "s-2"})
    claimed = await bench.claim(await bench.comment(work.id, "answer"), owner="host-b")
    again = claimed.execution
    assert (again.id, again.number, again.epoch, again.owner) == (execution.id, 1, 2, "host-b")
    assert (again.phase, again.recovery, again.token) == (Phase.LAUNCHING, None, "")
    assert again.suspended == {"id": "s-2"}, "by which it is known that the executor has to resume it"
    assert [entry.event for entry in claimed.inputs] == ["evt-answer"], "what is new, not what it had before"
    assert (claimed.work.state, claimed.work.attempts) == (WorkState.RUNNING, 1)
    assert (await bench.run(again.fence)).phase is Phase.RUNNING
    await bench.result(again.fence, Result(ok=True))
    assert (await bench.finished(again.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-20, C-28, C-29
async def test_a_resumed_attempt_keeps_what_it_was_pinned_to(bench: Bench) -> None:
    first = make_binding(timeout=7 * MINUTE, generation="old", grants=("net",))
    execution = await bench.run((await bench.claimed(binding=first)).execution.fence)
    work = await parked(bench, execution)
    woken = await bench.comment(work.id)
    again = (await bench.claim(woken, binding=make_binding(timeout=MINUTE, generation="new"))).execution
    assert again.binding == first


# C-28, C-42
async def test_what_is_left_of_the_time_is_kept_over_several_parks(bench: Bench) -> None:
    execution = await bench.running()
    for spent in (5 * MINUTE, 10 * MINUTE, 20 * MINUTE):
        await work_on(bench, execution, spent)
        work = await parked(bench, execution)
        bench.clock.advance(3 * 60 * MINUTE)
        again = await resumed(bench, work, f"answer {spent}")
        execution = await bench.run(again.fence)
    left = TIMEOUT - 35 * MINUTE
    assert execution.deadline == bench.clock.now() + left, "the hours in which it was parked cost nothing"
    now = bench.clock.advance(left - 1)
    assert list(await bench.see(lambda tx: overdue(tx, now))) == []
    now = bench.clock.advance(1)
    assert [each.id for each in await bench.see(lambda tx: overdue(tx, now))] == [execution.id]


STRETCH = st.integers(min_value=0, max_value=30 * MINUTE)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("run"), STRETCH),
        st.tuples(st.just("recover"), st.integers(min_value=1, max_value=MAX_SEGMENTS + 10)),
        st.tuples(st.just("park"), STRETCH),
    ),
    min_size=1,
    max_size=8,
)


# C-42, C-28, C-48
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(steps=STEPS)
@example(steps=[("recover", MAX_SEGMENTS + 10), ("park", 7 * MINUTE), ("run", 5), ("recover", 3), ("park", 1)])
def test_while_parked_the_ended_segments_and_what_is_left_are_the_whole_timeout(steps: list[tuple[str, int]]) -> None:
    """Whatever came before: runs, lost leases, earlier parks, and so many segments that the oldest were dropped."""
    asyncio.run(_whole(steps))


async def _whole(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        store = await INLINE.open(INLINE.place(Path(directory)), bind=Tx)
        bench = Bench(store, FakeClock(), Ids())
        binding = make_binding(timeout=10 * DAY)
        execution = await bench.run((await bench.claimed(binding=binding)).execution.fence)
        held = 0
        for number, (step, size) in enumerate([*steps, ("park", 0)]):
            if step == "run":
                held += size
                await work_on(bench, execution, size)
            elif step == "recover":
                for _ in range(size):
                    held += LEASE
                    execution = (await bench.recovered(execution.id)).execution
            else:
                work = await parked(bench, execution)
                stored = await bench.execution(execution.id)
                ended = [each.ended_at - each.started_at for each in stored.segments.kept if each.ended_at is not None]
                assert len(ended) == len(stored.segments.kept)
                assert stored.remaining is not None
                assert sum(ended) + stored.segments.dropped_time + stored.remaining == binding.timeout
                assert stored.remaining == binding.timeout - held, "time in which it was parked is not charged"
                bench.clock.advance(size)
                again = await resumed(bench, work, f"wake {number}")
                assert again.deadline == bench.clock.now() + stored.remaining
                execution = await bench.run(again.fence)
        await store.close()


# C-39, C-90
async def test_a_parked_attempt_is_never_overdue_and_never_recovered(bench: Bench) -> None:
    execution = await bench.running()
    await parked(bench, execution)
    now = bench.clock.advance(2 * TIMEOUT)
    assert list(await bench.see(lambda tx: overdue(tx, now))) == []
    assert list(await bench.see(lambda tx: tx.executions.lapsed(now))) == []
    assert await bench.recover(execution.id) is None
    with pytest.raises(StaleEpochError):
        await bench.do(lambda tx, when: time_out(tx, execution.fence, timer=TIMER, now=when))
    assert (await bench.execution(execution.id)).phase is Phase.PARKED


# C-37, C-90
async def test_a_run_that_stops_in_its_turn_too_late_is_timed_out(bench: Bench) -> None:
    """Its end was seen, so that no slot stays taken; what it said and used counts."""
    execution = await bench.running()
    await work_on(bench, execution, TIMEOUT)
    answer = await try_park(bench, execution.fence, suspended(turn=Turn(status="help"), units={"usd": 2.0}))
    assert isinstance(answer, Finished)
    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.outcome, stored.slot) == (Phase.FINISHED, Outcome.FAILED, False)
    assert stored.summary == "timed out after 60 min"
    assert (answer.work.state, answer.work.failures, answer.work.usage) == (WorkState.READY, 1, {"usd": 2.0})
    assert await bench.timer(execution.work) is not None, "it is tried again like any failure"
    assert len(await _turns(bench)) == 1


# C-73, C-37
@pytest.mark.parametrize("when", ["lapsed", "recovered", "cancelled", "parked"])
async def test_only_who_holds_the_attempt_can_park_it(bench: Bench, when: str) -> None:
    execution = await bench.running()
    if when == "lapsed":
        bench.clock.advance(LEASE)
    elif when == "recovered":
        await bench.recovered(execution.id)
    elif when == "cancelled":
        await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    else:
        await parked(bench, execution)
    before = (await bench.execution(execution.id), await bench.work(execution.work))
    with pytest.raises(StaleEpochError):
        await try_park(bench, execution.fence, suspended())
    assert (await bench.execution(execution.id), await bench.work(execution.work)) == before


# C-73
async def test_nobody_holds_a_parked_attempt(bench: Bench) -> None:
    execution = await bench.running()
    await parked(bench, execution)
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    with pytest.raises(StaleEpochError):
        await bench.finished(execution.fence, Outcome.COMPLETED)
    with pytest.raises(StaleEpochError):
        await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=LEASE))


# C-121
async def test_the_token_of_a_launch_says_nothing_once_its_run_is_parked(bench: Bench) -> None:
    token = secrets.token_hex(8)
    execution = await bench.run((await bench.claimed()).execution.fence, token=token)
    assert await bench.declare(token, Turn(status="help", used={"usd": 0.5}))
    work = await parked(bench, execution)
    assert [event.data["status"] for event in await _turns(bench)] == ["help"], "what it declared before counts"
    assert (work.usage, work.comment) == ({"usd": 0.5}, "")
    assert not await bench.declare(token, Turn(status="done"))
    assert not await bench.declare("", Turn(status="done")), "no token is nobody's"
    again = await resumed(bench, work)
    assert again.declared is None, "what was applied is not applied again"
    assert not await bench.declare(token, Turn(status="done"))


# C-96
async def test_the_next_turn_of_a_resumed_attempt_is_a_new_event(bench: Bench) -> None:
    execution = await bench.running()
    work = await parked(bench, execution, turn=Turn(status="help"))
    again = await bench.run((await resumed(bench, work)).fence)
    await bench.result(again.fence, Result(ok=True, turn=Turn(status="help")))
    await bench.finished(again.fence, Outcome.COMPLETED)
    key = work.item
    assert [event.natural_key for event in await _turns(bench)] == [
        f"turn/{execution.id}/{epoch}/{key}" for epoch in (1, 2)
    ]


# C-141, C-75
async def test_cancelling_parked_work_leaves_nothing_to_stop(bench: Bench) -> None:
    execution = await bench.running()
    await parked(bench, execution, Awaited(kinds=("comment",), until=Millis(bench.clock.now() + MINUTE)))
    work = await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    assert work is not None
    assert (work.state, work.waits) == (WorkState.CANCELLED, ())
    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.outcome, stored.slot) == (Phase.FINISHED, Outcome.CANCELLED, False)
    assert stored.segments.active() + (stored.remaining or 0) == TIMEOUT
    assert list(await bench.see(lambda tx: tx.executions.unconfirmed())) == []
    assert await alarm(bench, execution.work) is None
    assert (await bench.comment(execution.work)).state is WorkState.CANCELLED


# C-185, C-174
async def test_a_wake_while_the_work_is_held_resumes_it_when_the_hold_is_lifted(bench: Bench) -> None:
    execution = await bench.running()
    work = await parked(bench, execution)
    hold = HoldId("hld-1")
    await bench.do(
        lambda tx, now: place_operator_hold(
            tx, tx.works.get(work.id), hold=hold, holder="bob", reason="wait", event=EventId("e-1"), now=now
        )
    )
    woken = await bench.comment(work.id)
    assert (woken.state, await bench.refusal(woken)) == (WorkState.READY, Reason.HELD)
    release = Release(hold=hold, by="bob", reason="", event=EventId("e-2"))
    await bench.do(lambda tx, now: release_hold(tx, release, now))
    again = (await bench.claim(await bench.work(work.id))).execution
    assert (again.id, again.epoch) == (execution.id, 2)


# C-182
async def test_start_gates_are_not_asked_before_a_parked_attempt_goes_on(bench: Bench) -> None:
    work = await parked(bench, await bench.running())
    claimed = await bench.claim(await bench.comment(work.id), asked=False, revision="another one")
    assert claimed.execution.epoch == 2


# C-59, C-61
async def test_a_resumed_launch_that_reached_nothing_is_launched_again_with_what_woke_it(bench: Bench) -> None:
    """It is still to be resumed, not run, and takes in what came with the wake, not what it had taken in before."""
    execution = await bench.running()
    work = await parked(bench, execution, session={"id": "s-3"})
    again = await resumed(bench, work, "answer")
    taken = await bench.recovered(again.id)
    assert taken.relaunch
    assert (taken.execution.phase, taken.execution.epoch) == (Phase.LAUNCHING, 3)
    assert taken.execution.suspended == {"id": "s-3"}
    assert [entry.event for entry in taken.inputs] == ["evt-answer"]
    assert taken.execution.cause == "evt-answer", "what it derives from is still the wake"
    assert (taken.work.failures, taken.execution.deadline) == (0, again.deadline)


# C-58
async def test_a_resumed_launch_that_was_called_is_adopted(bench: Bench) -> None:
    """The negative control: something may be running."""
    work = await parked(bench, await bench.running())
    again = await resumed(bench, work)
    await bench.begin(again.fence)
    taken = await bench.recovered(again.id)
    assert not taken.relaunch
    assert taken.execution.phase is Phase.RECOVERING
    assert taken.execution.recovery is None, "what the first launch stored is not taken for that of the second"


# C-87, C-112
async def test_a_resumed_attempt_that_fails_gives_back_all_that_it_had_taken_in(bench: Bench) -> None:
    work = await parked(bench, await bench.running())
    again = await bench.run((await resumed(bench, work)).fence)
    failed = await bench.fail(again.fence)
    assert (failed.state, failed.failures) == (WorkState.READY, 1)
    assert await bench.kinds(work.id) == ["label", "comment"]
    await bench.retry(work.id)
    following = (await bench.claim(await bench.work(work.id))).execution
    assert (following.number, following.suspended) == (2, None), "the next attempt begins anew"


# C-85
async def test_an_event_that_is_not_routed_yet_finds_the_work_parked_and_wakes_it(bench: Bench) -> None:
    execution = await bench.running()
    event = await bench.event("late", routing=Routing.PENDING, keys=((await bench.work(execution.work)).item,))
    work = await parked(bench, execution)
    assert work.state is WorkState.WAITING
    seen = await bench.work(work.id)
    woken = await bench.do(lambda tx, now: add_input(tx, seen, event, kind="comment", author="ada", body="hm", now=now))
    assert woken.state is WorkState.READY


# C-85
async def test_input_that_came_while_it_ran_lets_a_parked_attempt_go_on_at_once(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    assert (await parked(bench, execution)).state is WorkState.READY
    assert (await bench.execution(execution.id)).phase is Phase.PARKED
    assert (await bench.claim(await bench.work(execution.work))).execution.epoch == 2


# C-85
async def test_input_of_another_kind_stays_queued_and_does_not_wake(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work, kind="push")
    work = await parked(bench, execution)
    assert (work.state, await bench.kinds(work.id)) == (WorkState.WAITING, ["push"])
    again = (await bench.claim(await bench.comment(work.id, "answer"))).execution
    assert await bench.consumed(again) == ["evt-label/wrk-1-1", "evt-comment", "evt-answer"]


# C-105
async def test_only_a_run_that_says_what_it_waits_for_is_parked(bench: Bench) -> None:
    execution = await bench.running()
    with pytest.raises(ValueError, match="suspended"):
        await try_park(bench, execution.fence, Result(ok=True))
    assert (await bench.execution(execution.id)).phase is Phase.RUNNING


async def _turns(bench: Bench) -> list[Event]:
    unmatched = await bench.see(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    return [event for event in unmatched if event.type == EVENT]
