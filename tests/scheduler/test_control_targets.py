"""An intent is for one attempt at one epoch: not before that runs, not after it has ended, and for no other."""

from __future__ import annotations

import pytest

from bot.domain.control import ControlState
from bot.domain.result import Outcome, Result
from bot.ids import EventId
from bot.scheduler.cancel import cancel
from bot.scheduler.controls import (
    LEASE,
    Dispatch,
    Undispatched,
)
from tests import factories
from tests.scheduler.bench import Bench
from tests.scheduler.controlled import ACCEPTED, TALKS, answer, controls, offered, state, take, taken, talking


# C-138
async def test_an_intent_waits_until_its_attempt_runs(bench: Bench) -> None:
    binding = factories.make_binding(capabilities=TALKS)
    execution = (await bench.claimed(binding=binding)).execution
    control = await offered(bench, execution)
    assert await take(bench, control) is Undispatched.NOT_YET
    await bench.begin(execution.fence)
    assert await take(bench, control) is Undispatched.NOT_YET
    await bench.persist(execution.fence)
    await bench.confirm(execution.fence)
    assert (await controls(bench, execution.id))[0].tries == 0, "waiting costs no try"
    await taken(bench, control)


# C-138
async def test_an_intent_for_an_attempt_that_is_being_recovered_waits_as_well(bench: Bench) -> None:
    execution = await talking(bench)
    recovered = (await bench.recovered(execution.id)).execution
    control = await offered(bench, recovered)
    assert control.epoch == 2
    assert await take(bench, control, owner="host-b") is Undispatched.NOT_YET
    await bench.confirm(recovered.fence)
    assert await take(bench, control, owner="host-a") is Undispatched.NOT_YET, "only who holds the lease sends"
    assert isinstance(await take(bench, control, owner="host-b"), Dispatch)


# C-138
async def test_under_a_lease_that_has_lapsed_nothing_is_sent(bench: Bench) -> None:
    control = await offered(bench, await talking(bench))
    bench.clock.advance(factories.LEASE)
    assert await take(bench, control) is Undispatched.NOT_YET


# C-131, C-136
async def test_an_intent_for_an_earlier_epoch_is_stale_and_never_sent_to_the_next(bench: Bench) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    recovered = (await bench.recovered(execution.id)).execution
    await bench.confirm(recovered.fence)
    assert await take(bench, control, owner="host-b") is Undispatched.SETTLED
    assert await state(bench, execution) is ControlState.STALE
    assert await bench.kinds(execution.work) == ["comment"]


# C-136
async def test_an_answer_that_comes_after_a_recovery_is_stale(bench: Bench) -> None:
    execution = await talking(bench)
    bench.clock.advance(factories.LEASE - LEASE // 2)
    control = await offered(bench, execution)
    await taken(bench, control)
    bench.clock.advance(LEASE // 2)
    recovered = await bench.recover(execution.id)
    assert recovered is not None
    bench.clock.advance(-1)
    assert await answer(bench, control, ACCEPTED) is ControlState.STALE


# C-136, C-139
async def test_an_adopted_run_has_consumed_what_it_was_sent_before(bench: Bench) -> None:
    execution = await talking(bench)
    await taken(bench, await offered(bench, execution))
    recovered = (await bench.recovered(execution.id)).execution
    await bench.confirm(recovered.fence)
    await bench.result(recovered.fence, Result(ok=True, consumed=(EventId("evt-comment"),)))
    assert await state(bench, execution) is ControlState.CONSUMED
    assert await bench.pending(execution.work) == []


# C-136
@pytest.mark.parametrize("ended", ["stored", "finished"])
async def test_an_answer_that_comes_after_the_end_is_stale_and_reaches_no_newer_attempt(
    bench: Bench, ended: str
) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await taken(bench, control)
    await bench.result(execution.fence, Result(ok=True))
    if ended == "finished":
        done = await bench.finished(execution.fence, Outcome.HANDOFF)
        newer = (await bench.claim(done.work, binding=factories.make_binding(capabilities=TALKS))).execution
        await bench.run(newer.fence)
        assert await controls(bench, newer.id) == []
    assert await answer(bench, control, ACCEPTED) is ControlState.STALE


# C-136
@pytest.mark.parametrize("outcome", [Outcome.HANDOFF, Outcome.FAILED])
async def test_an_intent_whose_attempt_has_ended_is_stale(bench: Bench, outcome: Outcome) -> None:
    execution = await talking(bench)
    control = await offered(bench, execution)
    await bench.finished(execution.fence, outcome)
    assert await take(bench, control) is Undispatched.SETTLED
    assert await state(bench, execution) is ControlState.STALE


# C-136
async def test_what_comes_when_the_run_has_ended_is_not_offered_to_it(bench: Bench) -> None:
    execution = await talking(bench)
    await bench.result(execution.fence, Result(ok=True))
    await bench.comment(execution.work)
    assert await controls(bench, execution.id) == []
    assert await bench.kinds(execution.work) == ["comment"]


# C-141
async def test_a_cancellation_settles_what_was_to_be_sent(bench: Bench) -> None:
    execution = await talking(bench)
    pending, sent = await offered(bench, execution, "one"), await offered(bench, execution, "two")
    await taken(bench, sent)
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    assert [each.state for each in await controls(bench, execution.id)] == [ControlState.STALE] * 2
    assert await take(bench, pending) is Undispatched.NOT_YET
    assert await answer(bench, sent, ACCEPTED) is None
