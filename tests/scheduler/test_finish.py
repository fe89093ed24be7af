"""The end of an attempt and what follows for its Work."""

from __future__ import annotations

import pytest

from bot.domain.event import Routing
from bot.domain.execution import Phase
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.kind import Lifecycle
from bot.domain.result import Outcome, Result
from bot.domain.work import WorkState
from bot.errors import StaleEpochError
from bot.ids import HoldId
from bot.scheduler.cancel import cancel
from bot.scheduler.finish import Overtaken
from bot.scheduler.observe import postpone_publishing
from tests.factories import LEASE, make_binding
from tests.scheduler.bench import Bench


# C-84
async def test_a_result_is_stored_before_anything_is_done_with_it(bench: Bench) -> None:
    execution = await bench.running()
    result = Result(ok=True, summary="fixed", units={"usd": 0.5}, session="s-1")
    await bench.result(execution.fence, result)
    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.result) == (Phase.PUBLISHING, result)
    assert (await bench.work(execution.work)).state is WorkState.RUNNING


# C-84, C-86
async def test_what_an_attempt_came_to_is_its_history(bench: Bench) -> None:
    execution = await bench.running()
    result = Result(ok=True, summary="fixed", units={"usd": 0.5})
    await bench.result(execution.fence, result)
    ended = await bench.finished(execution.fence, Outcome.COMPLETED, status="done", comment="bye", summary="fixed")
    stored = await bench.execution(execution.id)
    assert stored == ended.execution
    assert (stored.outcome, stored.status, stored.summary) == (Outcome.COMPLETED, "done", "fixed")
    assert (stored.result, stored.token) == (result, "")
    work = await bench.work(execution.work)
    assert work == ended.work
    assert (work.state, work.status, work.comment) == (WorkState.COMPLETED, "done", "bye")
    assert work.ended_at == bench.clock.now()


# C-86
async def test_what_attempts_used_adds_up_by_unit(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=False, units={"usd": 0.5, "tokens": 10}))
    assert (await bench.fail(execution.fence)).usage == {"tokens": 10, "usd": 0.5}
    second = await bench.run((await bench.claim(await bench.retry(execution.work))).execution.fence)
    await bench.result(second.fence, Result(ok=True, units={"usd": 0.25, "minutes": 3}))
    ended = await bench.finished(second.fence, Outcome.COMPLETED)
    assert ended.work.usage == {"minutes": 3, "tokens": 10, "usd": 0.75}


# C-85
async def test_a_completion_does_not_overtake_an_event_that_is_not_routed_yet(bench: Bench) -> None:
    execution = await bench.running()
    event = await bench.event("waiting", routing=Routing.PENDING, keys=("item:1/1",))
    before = await bench.execution(execution.id), await bench.work(execution.work)

    assert await bench.finish(execution.fence, Outcome.COMPLETED) == Overtaken()
    assert (await bench.execution(execution.id), await bench.work(execution.work)) == before

    await bench.do(lambda tx, _: tx.events.settle(event, Routing.UNMATCHED))
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-85, C-32
async def test_a_handoff_that_completes_its_work_does_not_overtake_one_either(bench: Bench) -> None:
    once = make_binding(lifecycle=Lifecycle.RUN_ONCE)
    execution = await bench.running(binding=once)
    event = await bench.event("waiting", routing=Routing.PENDING, keys=("item:1/1",))
    assert await bench.finish(execution.fence, Outcome.HANDOFF) == Overtaken()
    await bench.do(lambda tx, _: tx.events.settle(event, Routing.UNMATCHED))
    assert (await bench.finished(execution.fence, Outcome.HANDOFF)).work.state is WorkState.COMPLETED


# C-85, C-31
async def test_standing_work_has_nothing_to_overtake_by_completing(bench: Bench) -> None:
    execution = await bench.running(binding=make_binding(lifecycle=Lifecycle.STANDING))
    await bench.event("waiting", routing=Routing.PENDING, keys=("item:1/1",))
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.READY


# C-85 (negative control)
async def test_an_event_of_another_item_holds_no_completion_up(bench: Bench) -> None:
    execution = await bench.running()
    await bench.event("foreign", routing=Routing.PENDING, keys=("item:1/2",))
    await bench.event("keyless", routing=Routing.PENDING)
    await bench.event("given-up", routing=Routing.DEAD, keys=("item:1/1",))
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-85
@pytest.mark.parametrize("outcome", [Outcome.WAITING, Outcome.HANDOFF, Outcome.FAILED])
async def test_only_a_completion_waits_for_events_that_are_not_routed(bench: Bench, outcome: Outcome) -> None:
    execution = await bench.running()
    await bench.event("waiting", routing=Routing.PENDING, keys=("item:1/1",))
    await bench.finished(execution.fence, outcome)


# C-85
async def test_input_that_came_meanwhile_is_taken_up_by_the_next_attempt(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    ended = await bench.finished(execution.fence, Outcome.COMPLETED, status="done")
    assert ended.work.state is WorkState.READY
    assert ended.work.ended_at is None
    claimed = await bench.claim(ended.work)
    assert claimed.execution.number == 2
    assert [entry.kind for entry in claimed.inputs] == ["comment"]
    assert (await bench.finished(claimed.execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-102
async def test_a_handoff_leaves_the_work_ready_for_further_input(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    assert (ended.work.state, ended.execution.outcome) == (WorkState.READY, Outcome.HANDOFF)
    assert await bench.timer(ended.work.id) is None
    await bench.comment(ended.work.id)
    assert (await bench.claim(ended.work)).execution.number == 2


async def test_a_waiting_work_is_woken_by_the_kinds_that_it_waits_for_only(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.WAITING, waits=("review", "checks"))
    assert ended.work.state is WorkState.WAITING
    assert (await bench.comment(ended.work.id, "a", kind="comment")).state is WorkState.WAITING
    woken = await bench.comment(ended.work.id, "b", kind="review")
    assert (woken.state, woken.waits) == (WorkState.READY, ())
    claimed = await bench.claim(woken)
    assert [entry.kind for entry in claimed.inputs] == ["comment", "review"], "what queued before goes with it"


async def test_input_of_an_awaited_kind_that_is_there_already_wakes_at_once(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work, kind="review")
    ended = await bench.finished(execution.fence, Outcome.WAITING, waits=("review",))
    assert (ended.work.state, ended.work.waits) == (WorkState.READY, ())


async def test_input_of_another_kind_leaves_the_work_waiting(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work, kind="comment")
    ended = await bench.finished(execution.fence, Outcome.WAITING, waits=("review",))
    assert (ended.work.state, ended.work.waits) == (WorkState.WAITING, ("review",))


async def test_a_completed_work_leaves_no_hold_open(bench: Bench) -> None:
    execution = await bench.running()
    hold = Hold(
        id=HoldId("hld"),
        work=execution.work,
        kind=HoldKind.OPERATOR,
        holder="ada",
        reason="wait",
        revision="",
        placed_at=bench.clock.now(),
    )
    await bench.do(lambda tx, _: tx.holds.place(hold))
    await bench.finished(execution.fence, Outcome.COMPLETED)
    assert await bench.see(lambda tx: tx.holds.open(execution.work)) == []
    assert [each.state for each in await bench.see(lambda tx: tx.holds.of_work(execution.work))] == [HoldState.ENDED]


async def test_an_attempt_ends_once(bench: Bench) -> None:
    execution = await bench.running()
    await bench.finished(execution.fence, Outcome.HANDOFF)
    with pytest.raises(StaleEpochError):
        await bench.finish(execution.fence, Outcome.COMPLETED)
    assert (await bench.work(execution.work)).state is WorkState.READY


# C-141
async def test_a_cancellation_that_came_first_is_the_end(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True))
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    with pytest.raises(StaleEpochError):
        await bench.finish(execution.fence, Outcome.COMPLETED)
    assert (await bench.work(execution.work)).state is WorkState.CANCELLED


async def test_no_ending_of_an_attempt_cancels_its_work(bench: Bench) -> None:
    execution = await bench.running()
    with pytest.raises(ValueError, match="does not end as cancelled"):
        await bench.finish(execution.fence, Outcome.CANCELLED)
    assert (await bench.work(execution.work)).state is WorkState.RUNNING


async def test_publishing_that_failed_is_tried_again_with_the_result_kept(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, summary="fixed"))
    until = bench.clock.advance(1)
    later = await bench.do(
        lambda tx, now: postpone_publishing(tx, execution.fence, until=until, reason="the tracker is down", now=now)
    )
    assert (later.phase, later.publish_tries, later.next_at) == (Phase.PUBLISHING, 1, until)
    taken = await bench.recovered(execution.id)
    assert taken.execution.result == Result(ok=True, summary="fixed")
    assert taken.execution.publish_tries == 1


# C-41
async def test_the_thread_of_a_work_is_due_after_every_change_of_it(bench: Bench) -> None:
    """No state can stay unshown."""

    async def wanted() -> int:
        thread = await bench.see(lambda tx: tx.threads.get("item:1/1"))
        return 0 if thread is None else thread.wanted

    seen = [await wanted()]
    execution = await bench.running()
    seen.append(await wanted())
    await bench.result(execution.fence, Result(ok=True))
    seen.append(await wanted())
    bench.clock.advance(LEASE // 2)
    await bench.fail(execution.fence)
    seen.append(await wanted())
    await bench.retry(execution.work)
    seen.append(await wanted())
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    seen.append(await wanted())
    assert seen == sorted(set(seen)), "it grew at every step"
