"""Why a Work does not start: one closed list of reasons, asked in the order in which people want to hear it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.admission import Admit, Limits, Reason, Refused, Terms
from bot.domain.hold import Hold, HoldKind
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.ids import HoldId
from bot.scheduler.admission import admission
from bot.scheduler.cancel import cancel
from bot.scheduler.recover import confirm_stopped
from tests.factories import UNLIMITED
from tests.scheduler.bench import Bench


async def answer(bench: Bench, work: Work, limits: Limits = UNLIMITED) -> Admit | Refused:
    now = bench.clock.now()
    terms = Terms(pool="agents", limits=limits)
    return await bench.see(lambda tx: admission(tx, tx.works.get(work.id), now, terms=terms))


async def reason(bench: Bench, work: Work, limits: Limits = UNLIMITED) -> Reason:
    refused = await answer(bench, work, limits)
    assert isinstance(refused, Refused)
    return refused.reason


async def put_hold(bench: Bench, work: Work) -> None:
    hold = Hold(
        id=HoldId("hld"),
        work=work.id,
        kind=HoldKind.OPERATOR,
        holder="ada",
        reason="wait for the release",
        revision="",
        placed_at=bench.clock.now(),
    )
    await bench.do(lambda tx, _: tx.holds.place(hold))


async def test_a_ready_work_with_input_is_admitted(bench: Bench) -> None:
    work = await bench.ready()
    assert await answer(bench, work) == Admit()
    assert [each.id for each in await bench.see(lambda tx: tx.works.ready())] == [work.id]


# C-01
@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (WorkState.RUNNING, Reason.RUNNING),
        (WorkState.WAITING, Reason.WAITING),
        (WorkState.EXHAUSTED, Reason.EXHAUSTED),
        (WorkState.COMPLETED, Reason.ENDED),
        (WorkState.CANCELLED, Reason.ENDED),
        (WorkState.FAILED, Reason.ENDED),
    ],
)
async def test_only_a_ready_work_may_start(bench: Bench, state: WorkState, expected: Reason) -> None:
    work = await bench.ready()
    await bench.do(lambda tx, now: tx.works.save(replace(work, state=state), now))
    assert await reason(bench, work) is expected
    assert await bench.see(lambda tx: tx.works.ready()) == []


async def test_a_work_without_input_has_nothing_to_work_on(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    assert ended.work.state is WorkState.READY
    assert await reason(bench, ended.work) is Reason.NO_INPUT
    assert await bench.see(lambda tx: tx.works.ready()) == []


async def test_a_held_work_says_why(bench: Bench) -> None:
    work = await bench.ready()
    await put_hold(bench, work)
    assert await answer(bench, work) == Refused(reason=Reason.HELD, detail="wait for the release")
    assert await bench.see(lambda tx: tx.works.ready()) == []


async def test_a_work_that_failed_says_when_it_starts_again(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    timer = await bench.timer(work.id)
    assert timer is not None
    assert await answer(bench, work) == Refused(reason=Reason.RETRY_DUE, until=timer.due_at)


# C-75, C-77
async def test_a_work_whose_run_may_be_running_still_does_not_start(bench: Bench) -> None:
    execution = await bench.running()
    await bench.comment(execution.work)
    ended = await bench.finished(execution.fence, Outcome.HANDOFF, stopped=False)
    assert await reason(bench, ended.work) is Reason.STOPPING
    assert await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert await answer(bench, ended.work) == Admit()


# C-77
async def test_the_next_run_on_an_item_waits_until_the_one_before_has_stopped(bench: Bench) -> None:
    """Both work in the same place on the same branch."""
    execution = await bench.running()
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    successor = await bench.ready(id="wrk-next")
    other = await bench.ready(2)
    assert successor.run == 2
    assert await reason(bench, successor) is Reason.STOPPING
    assert await answer(bench, other) == Admit()
    await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert await answer(bench, successor) == Admit()


async def test_what_a_person_must_do_is_said_before_what_ends_by_itself(bench: Bench) -> None:
    """A Work that is held, backs off and finds its pool full is held: that is what somebody can change."""
    full = Limits(default=0, pools=())
    execution = await bench.running()
    work = await bench.fail(execution.fence, stopped=False)
    assert await reason(bench, work, full) is Reason.RETRY_DUE
    await put_hold(bench, work)
    assert await reason(bench, work, full) is Reason.HELD
    await bench.do(lambda tx, _: tx.inputs.drop(work.id))
    assert await reason(bench, work, full) is Reason.NO_INPUT
