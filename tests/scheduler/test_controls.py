"""Input for a run that is under way: an intent, sent under a token, settled once."""

from __future__ import annotations

import pytest

from bot.domain.control import Answer, Answered, ControlKind, ControlState
from bot.domain.kind import Fallback
from bot.domain.result import Outcome, Result
from bot.domain.wait import Awaited, Suspension
from bot.domain.work import WorkState
from bot.ids import EventId, TimerId
from bot.scheduler.controls import (
    LEASE,
    TRIES,
    Undispatched,
    consume_injected,
)
from bot.scheduler.park import park
from tests.scheduler.bench import Bench
from tests.scheduler.controlled import (
    ACCEPTED,
    CANARY,
    FAILED,
    NOT_ACCEPTING,
    accepted,
    answer,
    controls,
    offered,
    renew,
    state,
    take,
    taken,
    talking,
)


# C-130
async def test_an_intent_is_sent_to_the_run_and_settled_by_who_sent_it(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    assert (control.kind, control.state, control.epoch) == (ControlKind.INJECT, ControlState.PENDING, 1)
    dispatch = await taken(bench, control)
    assert dispatch.execution.id == execution.id
    message = dispatch.message
    assert message is not None
    assert (message.event, message.kind, message.author, message.body) == ("evt-comment", "comment", "ada", "hm")
    assert await answer(bench, control, ACCEPTED, sender="two") is None
    assert await state(bench, execution) is ControlState.DISPATCHED
    assert await answer(bench, control, ACCEPTED) is ControlState.ACCEPTED
    assert await answer(bench, control, FAILED) is None, "the first answer counts"


# C-130
async def test_while_it_is_being_sent_nobody_else_sends_it(bench: Bench) -> None:
    control = await offered(bench, await talking(bench))
    await taken(bench, control)
    assert await bench.see(lambda tx: tx.controls.due(bench.clock.now())) == []
    assert await take(bench, control, sender="two") is Undispatched.NOT_YET


# C-132, C-196
async def test_only_a_run_that_was_pinned_to_an_executor_that_takes_input_is_offered_any(bench: Bench) -> None:
    """Whatever an executor declares later, an attempt that was claimed before is not offered anything."""
    execution = await bench.running()
    await bench.comment(execution.work)
    assert await controls(bench, execution.id) == []
    assert await bench.kinds(execution.work) == ["comment"]


# C-133, C-85
async def test_input_that_was_accepted_stays_pending_and_leaves_the_work_ready_for_the_next_attempt(
    bench: Bench,
) -> None:
    execution = await talking(bench)
    await accepted(bench, execution)
    assert await bench.kinds(execution.work) == ["comment"]
    await bench.result(execution.fence, Result(ok=True))
    ended = await bench.finished(execution.fence, Outcome.COMPLETED)
    assert ended.work.state is WorkState.READY
    again = await bench.claim(ended.work)
    assert [entry.event for entry in again.inputs] == ["evt-comment"]


# C-133, C-85
@pytest.mark.parametrize("reach", ["queued", "sent", "refused"])
async def test_input_that_is_not_confirmed_leaves_the_work_ready_as_well(bench: Bench, reach: str) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    if reach != "queued":
        await taken(bench, control)
    if reach == "refused":
        await answer(bench, control, NOT_ACCEPTING)
    await bench.result(execution.fence, Result(ok=True))
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.READY


# C-139
@pytest.mark.parametrize("reach", ["accepted", "in flight", "refused"])
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.WAITING, Outcome.HANDOFF])
async def test_what_a_result_says_it_took_up_is_consumed_whatever_was_answered(
    bench: Bench, reach: str, outcome: Outcome
) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await taken(bench, control)
    if reach != "in flight":
        await answer(bench, control, ACCEPTED if reach == "accepted" else NOT_ACCEPTING)
    await bench.result(execution.fence, Result(ok=True, consumed=(EventId("evt-comment"),)))
    assert await state(bench, execution) is ControlState.CONSUMED
    assert await answer(bench, control, NOT_ACCEPTING) is None, "an answer that comes later changes nothing"
    ended = await bench.finished(execution.fence, outcome)
    assert ended.work.state is not WorkState.READY or outcome is Outcome.HANDOFF
    assert await bench.pending(execution.work) == []
    assert "evt-comment" in await bench.consumed(execution)


# C-139, C-85
async def test_what_a_result_does_not_name_stays_for_the_next_attempt(bench: Bench) -> None:
    execution = await talking(bench)
    for natural_key in ("one", "two"):
        await accepted(bench, execution, natural_key)
    await bench.result(execution.fence, Result(ok=True, consumed=(EventId("evt-two"),)))
    assert [each.state for each in await controls(bench, execution.id)] == [
        ControlState.ACCEPTED,
        ControlState.CONSUMED,
    ]
    ended = await bench.finished(execution.fence, Outcome.COMPLETED)
    assert [entry.event for entry in await bench.pending(ended.work.id)] == ["evt-one"]


# C-139
async def test_what_a_failed_run_took_up_is_tried_again_with_the_rest(bench: Bench) -> None:
    execution = await talking(bench)
    await accepted(bench, execution)
    await bench.result(execution.fence, Result(ok=False, consumed=(EventId("evt-comment"),)))
    assert await state(bench, execution) is ControlState.CONSUMED
    await bench.fail(execution.fence)
    assert await bench.kinds(execution.work) == ["label", "comment"]


# C-139
async def test_a_run_that_is_suspended_has_consumed_what_it_says(bench: Bench) -> None:
    execution = await talking(bench)
    await accepted(bench, execution)
    suspension = Suspension(awaited=Awaited(kinds=("review",)))
    result = Result(ok=True, consumed=(EventId("evt-comment"),), suspension=suspension)
    await bench.do(lambda tx, now: park(tx, execution.fence, result, status=None, timer=TimerId("t"), now=now))
    assert await state(bench, execution) is ControlState.CONSUMED
    assert await bench.pending(execution.work) == []


# C-139, C-196
async def test_what_was_never_sent_to_a_run_is_not_consumed_by_what_it_says(bench: Bench) -> None:
    execution = await talking(bench)
    await offered(bench, execution)
    elsewhere = await talking(bench, 2)
    named = (EventId("evt-comment"), EventId("evt-unknown"))
    for each in (execution, elsewhere):
        await bench.do(lambda tx, now, e=each: consume_injected(tx, e, named, now))  # type: ignore[misc]
    assert await bench.kinds(execution.work) == ["comment"]
    assert await state(bench, execution) is ControlState.PENDING


# C-134
async def test_what_may_not_have_arrived_is_sent_again_as_the_same(bench: Bench) -> None:
    control = await offered(bench, await talking(bench))
    first = await taken(bench, control)
    assert await answer(bench, control, FAILED) is ControlState.PENDING
    assert await take(bench, control, sender="two") is Undispatched.NOT_YET, "not at once"
    bench.clock.advance(1_000)
    second = await taken(bench, control, sender="two")
    assert second.message == first.message
    assert second.control.tries == 2
    assert await answer(bench, control, ACCEPTED) is None, "the first token is worth nothing any more"
    assert await answer(bench, control, ACCEPTED, sender="two") is ControlState.ACCEPTED


# C-134
async def test_a_dispatch_that_was_never_settled_is_sent_again_when_its_lease_is_over(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    first = await taken(bench, control)
    bench.clock.advance(LEASE)
    await renew(bench, execution.fence)
    assert await answer(bench, control, ACCEPTED) is None, "late: nobody knows who sends it by now"
    second = await taken(bench, control, sender="two")
    assert second.message == first.message


# C-135
@pytest.mark.parametrize(
    ("fallback", "expected"), [(Fallback.QUEUE, ControlState.QUEUED), (Fallback.DROP, ControlState.DROPPED)]
)
async def test_after_some_tries_what_its_attempt_was_pinned_to_is_recorded(
    bench: Bench, fallback: Fallback, expected: ControlState
) -> None:
    execution = await talking(bench, fallback=fallback)
    control = await offered(bench, execution)
    for tries in range(TRIES):
        await taken(bench, control, sender=f"sender-{tries}")
        last = await answer(bench, control, FAILED, sender=f"sender-{tries}")
        assert last is (expected if tries == TRIES - 1 else ControlState.PENDING)
        bench.clock.advance(30_000)
        await renew(bench, execution.fence)
    (given_up,) = await controls(bench, execution.id)
    assert (given_up.state, given_up.note, given_up.tries) == (expected, "unreachable", TRIES)
    assert await take(bench, control) is Undispatched.NOT_YET
    assert await bench.kinds(execution.work) == ["comment"], "the input is not lost"


# C-135
async def test_dispatches_that_never_answer_are_given_up_too(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    for tries in range(TRIES):
        await taken(bench, control, sender=f"sender-{tries}")
        bench.clock.advance(LEASE)
        await renew(bench, execution.fence)
    assert await take(bench, control) is Undispatched.SETTLED
    (given_up,) = await controls(bench, execution.id)
    assert (given_up.state, given_up.note) == (ControlState.QUEUED, "unanswered")


# C-135
async def test_what_can_never_arrive_is_given_up_at_once(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await taken(bench, control)
    assert await answer(bench, control, Answered(answer=Answer.IMPOSSIBLE, code="unsupported")) is ControlState.QUEUED


# C-135
@pytest.mark.parametrize("kind", [Answer.FAILED, Answer.IMPOSSIBLE])
async def test_no_text_of_a_provider_is_kept(bench: Bench, kind: Answer) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await taken(bench, control)
    await answer(bench, control, Answered(answer=kind, code=CANARY))
    (settled,) = await controls(bench, execution.id)
    assert settled.note == "failed"


# C-137
async def test_a_run_that_takes_nothing_is_not_asked_again_and_the_input_stays(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await taken(bench, control)
    assert await answer(bench, control, NOT_ACCEPTING) is ControlState.NOT_ACCEPTING
    bench.clock.advance(LEASE)
    assert await bench.see(lambda tx: tx.controls.due(bench.clock.now())) == []
    assert await bench.kinds(execution.work) == ["comment"]


# C-85
async def test_a_repeated_event_is_offered_once(bench: Bench) -> None:
    execution = await talking(bench)
    await bench.comment(execution.work, "one")
    await bench.comment(execution.work, "two")
    found = await controls(bench, execution.id)
    assert [each.seq for each in found] == [entry.seq for entry in await bench.pending(execution.work)]
