"""Attempts that hand back, go on by themselves where they may, and never for ever."""

from __future__ import annotations

import pytest

from bot.clock import Millis
from bot.domain.admission import Reason
from bot.domain.event import Event, Routing
from bot.domain.execution import Execution
from bot.domain.kind import Lifecycle
from bot.domain.result import Outcome, Result
from bot.domain.turn import EVENT, Turn
from bot.domain.wait import Awaited
from bot.domain.work import Work, WorkState
from bot.ids import EventId
from bot.scheduler.causes import MAX_DEPTH, TooDeep, accept_derived
from bot.storage.contract import Tx
from tests.factories import make_binding, make_event
from tests.scheduler.bench import Bench
from tests.scheduler.parking import alarm, on, parked

GOES_ON = make_binding(continues=True)


async def chain(bench: Bench, length: int) -> Event:
    """Accept a chain of events, each of which derives from the one before, and return the last."""

    def change(tx: Tx, now: Millis) -> Event:
        last: Event | None = None
        for number in range(length):
            cause = None if last is None else last.id
            last = tx.events.accept(make_event(f"link {number}", cause=cause), now, routing=Routing.ROUTED)
        assert last is not None
        return last

    return await bench.do(change)


async def deep(bench: Bench, depth: int, number: int = 1, **claim: object) -> Execution:
    """Return a running attempt whose trigger is as deep as this."""
    last = await chain(bench, depth + 1)
    assert last.depth == depth
    work = await bench.ready(number)
    await bench.do(lambda tx, _: tx.inputs.add(work.id, last, kind="comment"))
    return await bench.run((await bench.claim(work, trigger=last.id, **claim)).execution.fence)


async def turns(bench: Bench) -> list[Event]:
    unmatched = await bench.see(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    return [event for event in unmatched if event.type == EVENT]


# C-102
async def test_a_handoff_ends_the_attempt_and_leaves_the_work_ready_for_input(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.HANDOFF, status="relay")
    assert (ended.execution.outcome, ended.execution.slot) == (Outcome.HANDOFF, False)
    assert (ended.work.state, ended.work.failures) == (WorkState.READY, 0)
    # C-103 (negative control): by default it does not go on by itself
    assert await bench.refusal(ended.work) is Reason.NO_INPUT
    following = (await bench.claim(await bench.comment(execution.work))).execution
    assert following.number == 2


# C-103
async def test_a_handoff_goes_on_by_itself_where_its_binding_says_so(bench: Bench) -> None:
    execution = await bench.run((await bench.claimed(binding=GOES_ON)).execution.fence)
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    (entry,) = await bench.pending(execution.work)
    assert (entry.kind, entry.event) == ("handoff", f"handoff/{execution.id}")
    event = await bench.see(lambda tx: tx.events.get(entry.event))
    assert event is not None
    assert (event.type, event.cause, event.depth) == ("core.execution.handoff", execution.trigger, 1)
    assert event.routing is Routing.ROUTED
    following = (await bench.claim(ended.work, binding=GOES_ON)).execution
    assert (following.number, following.trigger) == (2, event.id)


# C-103 (negative control)
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.WAITING, Outcome.FAILED])
async def test_no_other_end_goes_on_by_itself(bench: Bench, outcome: Outcome) -> None:
    execution = await bench.run((await bench.claimed(binding=GOES_ON)).execution.fence)
    await bench.finished(execution.fence, outcome)
    assert "handoff" not in await bench.kinds(execution.work)


# C-103, C-32
async def test_work_that_runs_once_is_completed_by_its_handoff_and_does_not_go_on(bench: Bench) -> None:
    once = make_binding(continues=True, lifecycle=Lifecycle.RUN_ONCE)
    execution = await bench.run((await bench.claimed(binding=once)).execution.fence)
    assert (await bench.finished(execution.fence, Outcome.HANDOFF)).work.state is WorkState.COMPLETED
    assert await bench.see(lambda tx: tx.events.get(EventId(f"handoff/{execution.id}"))) is None


# C-103
async def test_standing_work_goes_on_by_itself_too(bench: Bench) -> None:
    standing = make_binding(continues=True, lifecycle=Lifecycle.STANDING)
    execution = await bench.run((await bench.claimed(binding=standing)).execution.fence)
    await bench.finished(execution.fence, Outcome.HANDOFF)
    assert await bench.kinds(execution.work) == ["handoff"]


# C-104
async def test_a_work_does_not_go_on_by_itself_for_ever(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH, binding=GOES_ON)
    await bench.result(execution.fence, Result(ok=True, summary="half of it", units={"usd": 1.0}))
    ended = await bench.finished(execution.fence, Outcome.HANDOFF, status="relay", comment="half")
    assert ended.execution.outcome is Outcome.HANDOFF, "the handoff itself stays"
    assert (ended.work.state, ended.work.status, ended.work.usage) == (WorkState.READY, "relay", {"usd": 1.0})
    assert ended.work.reason == "It went on by itself 256 times, which is as often as it may."
    assert await bench.refusal(ended.work) is Reason.NO_INPUT

    following = await bench.run(
        (await bench.claim(await bench.comment(ended.work.id), binding=GOES_ON)).execution.fence
    )
    await bench.finished(following.fence, Outcome.HANDOFF)
    assert await bench.kinds(ended.work.id) == ["handoff"], "a person's word begins a new chain"


# C-104 (negative control)
async def test_a_work_goes_on_by_itself_up_to_the_last_time(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH - 1, binding=GOES_ON)
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    assert (await bench.kinds(ended.work.id), ended.work.reason) == (["handoff"], "")


# C-101
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.WAITING, Outcome.HANDOFF, Outcome.FAILED])
async def test_a_turn_too_deep_is_not_published_and_the_outcome_stays(bench: Bench, outcome: Outcome) -> None:
    execution = await deep(bench, MAX_DEPTH)
    await bench.result(execution.fence, Result(ok=outcome is not Outcome.FAILED, turn=Turn(status="done")))
    ended = await bench.finished(execution.fence, outcome, status="done")
    assert await turns(bench) == []
    assert (ended.execution.outcome, ended.work.status) == (outcome, "done")


# C-101
async def test_a_parked_attempt_stays_parked_when_its_turn_is_too_deep(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH)
    work = await parked(bench, execution, turn=Turn(status="help"))
    assert (await turns(bench), work.state) == ([], WorkState.WAITING)


# C-101 (negative control)
async def test_a_turn_that_is_just_not_too_deep_is_published(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH - 1)
    await bench.result(execution.fence, Result(ok=True, turn=Turn(status="done")))
    await bench.finished(execution.fence, Outcome.COMPLETED)
    assert [event.depth for event in await turns(bench)] == [MAX_DEPTH]


async def woken_by(bench: Bench, work: Work) -> Execution:
    return await bench.run((await bench.claim(await bench.work(work.id))).execution.fence)


# C-101
async def test_two_works_that_wake_each_other_end_some_time(bench: Bench) -> None:
    """Each waits for any word of the other, and says one when it is woken; parked or ended makes no difference."""
    first, second = await bench.running(1), await deep(bench, MAX_DEPTH - 6, 2)
    works = [await bench.work(each.work) for each in (first, second)]
    await bench.finished(first.fence, Outcome.WAITING, awaited=on(works[1].item))
    await parked(bench, second, on(works[0].item), turn=Turn(status="ping"))
    rounds = 0
    while (await bench.work(works[rounds % 2].id)).state is WorkState.READY:
        execution = await woken_by(bench, works[rounds % 2])
        other = works[(rounds + 1) % 2]
        if rounds % 2:
            await parked(bench, execution, on(other.item), turn=Turn(status="ping"))
        else:
            await bench.result(execution.fence, Result(ok=True, turn=Turn(status="pong")))
            await bench.finished(execution.fence, Outcome.WAITING, awaited=on(other.item))
        rounds += 1
    assert rounds == 6
    assert max(event.depth for event in await turns(bench)) == MAX_DEPTH


# C-101, C-122
async def test_what_a_timer_brings_is_never_refused_and_makes_no_chain_deeper(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH - 1)
    for _ in range(3):
        await parked(bench, execution, Awaited(until=bench.clock.now()))
        timer = await alarm(bench, execution.work)
        assert timer is not None
        assert await bench.fire(timer)
        execution = await woken_by(bench, await bench.work(execution.work))
        cause = await bench.see(lambda tx, of=execution: tx.events.get(of.cause))  # type: ignore[misc]
        assert cause is not None
        assert (cause.type, cause.depth) == ("core.wait.due", MAX_DEPTH - 1)
    await parked(bench, execution, turn=Turn(status="done"))
    assert len(await turns(bench)) == 1, "it has only waited for long"


# C-106, C-104
async def test_a_retry_is_never_refused_for_its_depth(bench: Bench) -> None:
    execution = await deep(bench, MAX_DEPTH)
    await bench.fail(execution.fence)
    assert (await bench.retry(execution.work)).state is WorkState.READY
    assert "retry" in await bench.kinds(execution.work)


async def test_an_event_is_one_deeper_than_its_cause_and_refused_beyond_the_most(bench: Bench) -> None:
    last = await chain(bench, MAX_DEPTH + 1)
    assert last.depth == MAX_DEPTH
    seq = await bench.see(lambda tx: tx.events.newest())

    def derive(tx: Tx, now: Millis) -> Event | TooDeep | None:
        return accept_derived(tx, make_event("too deep", cause=last.id), now, routing=Routing.UNMATCHED)

    assert isinstance(await bench.do(derive), TooDeep)
    assert await bench.see(lambda tx: (tx.events.newest(), tx.events.by_natural_key("too deep"))) == (seq, None)
    unknown = make_event("of nothing we know", cause=EventId("gone"))
    accepted = await bench.do(lambda tx, now: accept_derived(tx, unknown, now, routing=Routing.UNMATCHED))
    assert isinstance(accepted, Event)
    assert accepted.depth == 0
