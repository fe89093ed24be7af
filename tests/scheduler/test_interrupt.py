"""Interrupting a run: fenced first, asked then, and its slot is free only when it is known to have stopped."""

from __future__ import annotations

import pytest

from bot.clock import Millis
from bot.domain.admission import Reason
from bot.domain.control import Answer, Answered, Control, ControlKind, ControlState
from bot.domain.execution import Execution, Phase
from bot.domain.kind import Capability
from bot.domain.result import Outcome, Result
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Suspension
from bot.domain.work import WorkState
from bot.errors import StaleEpochError
from bot.ids import TimerId
from bot.scheduler.controls import Dispatch, Undispatched, claim_control, settle_control
from bot.scheduler.interrupt import PATIENCE, Interrupted, being_asked, interrupt
from bot.scheduler.park import park
from bot.scheduler.recover import confirm_stopped
from bot.storage.contract import Tx
from tests import factories
from tests.scheduler.bench import Bench

ASKS = frozenset({Capability.INTERRUPT, Capability.INJECT})
SENDER = "one"
ACCEPTED = Answered(answer=Answer.ACCEPTED)


async def asking(bench: Bench, number: int = 1) -> Execution:
    """Bring an attempt to run whose executor can be asked to stop it."""
    return await bench.running(number, binding=factories.make_binding(capabilities=ASKS))


async def interrupts(bench: Bench, execution: Execution) -> Interrupted | None:
    def change(tx: Tx, now: Millis) -> Interrupted | None:
        return interrupt(tx, execution.work, by="ada", reason="wrong file", seq=99, now=now)

    return await bench.do(change)


async def take(bench: Bench, control: Control, *, owner: str = "host-a") -> Dispatch | Undispatched:
    def change(tx: Tx, now: Millis) -> Dispatch | Undispatched:
        return claim_control(tx, control.id, token=SENDER, owner=owner, now=now)

    return await bench.do(change)


async def intents(bench: Bench, execution: Execution) -> list[Control]:
    return list(await bench.see(lambda tx: tx.controls.of_execution(execution.id)))


async def asked(bench: Bench, execution: Execution) -> bool:
    return await bench.see(lambda tx: being_asked(tx, execution, bench.clock.now()))


# C-140
async def test_the_attempt_is_fenced_before_anything_is_sent(bench: Bench) -> None:
    execution = await asking(bench)
    stopped = await interrupts(bench, execution)
    assert stopped is not None
    ended = await bench.execution(execution.id)
    assert (ended.phase, ended.outcome, ended.slot) == (Phase.FINISHED, Outcome.INTERRUPTED, True)
    assert ended.summary == "interrupted by ada: wrong file"
    (control,) = await intents(bench, execution)
    assert (control.kind, control.state, control.seq) == (ControlKind.INTERRUPT, ControlState.PENDING, 99)
    with pytest.raises(StaleEpochError):
        await bench.result(execution.fence, Result(ok=True))
    with pytest.raises(StaleEpochError):
        await bench.finish(execution.fence, Outcome.COMPLETED)


# C-140, C-76
async def test_the_work_is_ready_with_its_input_and_starts_when_the_run_is_known_to_have_stopped(bench: Bench) -> None:
    execution = await asking(bench)
    stopped = await interrupts(bench, execution)
    assert stopped is not None
    work = stopped.work
    assert (work.state, work.status, work.failures) == (WorkState.READY, None, 0)
    assert await bench.kinds(work.id) == ["label"]
    assert await bench.timer(work.id) is None
    assert await bench.refusal(work) is Reason.STOPPING
    assert await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert (await bench.claim(work)).execution.number == 2


# C-142, C-76
async def test_a_run_that_says_it_will_stop_has_not_stopped(bench: Bench) -> None:
    execution = await asking(bench)
    stopped = await interrupts(bench, execution)
    assert stopped is not None
    (control,) = await intents(bench, execution)
    assert isinstance(await take(bench, control), Dispatch)
    accepted = await bench.do(lambda tx, now: settle_control(tx, control.id, token=SENDER, answered=ACCEPTED, now=now))
    assert accepted is ControlState.ACCEPTED
    assert (await bench.execution(execution.id)).slot
    assert await bench.refusal(stopped.work) is Reason.STOPPING


# C-142
async def test_a_run_is_asked_for_a_while_and_then_stopped_whatever_it_says(bench: Bench) -> None:
    execution = await asking(bench)
    assert not await asked(bench, execution)
    await interrupts(bench, execution)
    assert await asked(bench, execution)
    bench.clock.advance(PATIENCE)
    assert not await asked(bench, execution)


# C-142
async def test_a_run_that_was_asked_is_stopped_at_once(bench: Bench) -> None:
    execution = await asking(bench)
    await interrupts(bench, execution)
    (control,) = await intents(bench, execution)
    await take(bench, control)
    assert await asked(bench, execution)
    await bench.do(lambda tx, now: settle_control(tx, control.id, token=SENDER, answered=ACCEPTED, now=now))
    assert not await asked(bench, execution)


# C-132, C-196
async def test_a_run_that_cannot_be_asked_is_fenced_all_the_same(bench: Bench) -> None:
    execution = await bench.running()
    stopped = await interrupts(bench, execution)
    assert stopped is not None
    assert stopped.execution.outcome is Outcome.INTERRUPTED
    assert await intents(bench, execution) == []
    assert not await asked(bench, execution)


# C-136
async def test_what_is_known_to_have_stopped_is_not_asked_any_more(bench: Bench) -> None:
    execution = await asking(bench)
    await interrupts(bench, execution)
    (control,) = await intents(bench, execution)
    assert await take(bench, control, owner="host-b") is Undispatched.NOT_YET, "its run is on another host"
    await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert await take(bench, control) is Undispatched.SETTLED
    (stale,) = await intents(bench, execution)
    assert stale.state is ControlState.STALE


# C-136, C-140
async def test_what_was_to_be_told_to_the_run_is_stale_and_waits_for_the_next_attempt(bench: Bench) -> None:
    execution = await asking(bench)
    await bench.comment(execution.work)
    await interrupts(bench, execution)
    states = {each.kind: each.state for each in await intents(bench, execution)}
    assert states == {ControlKind.INJECT: ControlState.STALE, ControlKind.INTERRUPT: ControlState.PENDING}
    assert await bench.kinds(execution.work) == ["label", "comment"]


@pytest.mark.parametrize("reach", ["claimed", "begun", "recovering"])
async def test_a_launch_that_is_under_way_is_interrupted_too(bench: Bench, reach: str) -> None:
    # C-140
    execution = (await bench.claimed(binding=factories.make_binding(capabilities=ASKS))).execution
    if reach != "claimed":
        await bench.begin(execution.fence)
    if reach == "recovering":
        execution = (await bench.recovered(execution.id)).execution
    assert await interrupts(bench, execution) is not None
    with pytest.raises(StaleEpochError):
        await bench.persist(execution.fence)
    assert (await bench.execution(execution.id)).slot


# C-140
async def test_a_run_that_has_ended_is_not_interrupted_and_its_result_is_kept(bench: Bench) -> None:
    execution = await asking(bench)
    await bench.result(execution.fence, Result(ok=True))
    assert await interrupts(bench, execution) is None
    ended = await bench.finished(execution.fence, Outcome.COMPLETED)
    assert ended.work.state is WorkState.COMPLETED


# C-140
async def test_where_nothing_runs_nothing_is_interrupted(bench: Bench) -> None:
    waiting = await asking(bench)
    await bench.finished(waiting.fence, Outcome.WAITING)
    assert await interrupts(bench, waiting) is None
    assert (await bench.work(waiting.work)).state is WorkState.WAITING
    parked = await asking(bench, 2)
    suspended = Result(ok=True, suspension=Suspension(awaited=Awaited(kinds=("comment",))))
    await bench.do(lambda tx, now: park(tx, parked.fence, suspended, status=None, timer=TimerId("t"), now=now))
    assert await interrupts(bench, parked) is None
    assert (await bench.execution(parked.id)).phase is Phase.PARKED


async def test_what_an_interrupted_run_declared_to_have_used_is_counted_once(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    await bench.run(execution.fence, token=SENDER)
    assert await bench.declare(SENDER, Turn(status="building", used={"usd": 2.0}))
    stopped = await interrupts(bench, execution)
    assert stopped is not None
    assert await interrupts(bench, execution) is None
    assert (await bench.work(execution.work)).usage == {"usd": 2.0}
