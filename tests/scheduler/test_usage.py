"""What runs use is staged once, in the transaction that ends them, and charged to the ledgers of their claim."""

from __future__ import annotations

import secrets
from dataclasses import replace

import pytest

from bot.clock import DAY, HOUR, MINUTE
from bot.domain.budget import Per, Period, whole
from bot.domain.execution import Execution
from bot.domain.result import Deferral, Outcome, Result
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Suspension
from bot.domain.work import Work
from bot.ids import TimerId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed
from bot.scheduler.park import park
from bot.scheduler.timeout import time_out
from bot.scheduler.usage import claimed_at, stage
from tests.factories import LEASE
from tests.scheduler.bench import Bench
from tests.scheduler.purse import FOR_ALL, Purse, budget

TOKEN = secrets.token_hex(8)


async def suspend(bench: Bench, execution: Execution, **units: float) -> None:
    """Suspend a run that reports what it used until somebody comments."""
    await bench.run(execution.fence)
    result = Result(ok=True, units=units, suspension=Suspension(awaited=Awaited(kinds=("comment",)), session={}))
    timer = TimerId(bench.ids.new("tmr"))
    await bench.do(lambda tx, now: park(tx, execution.fence, result, status=None, timer=timer, now=now))


async def defer(bench: Bench, execution: Execution, **units: float) -> Work:
    deferral = Deferral(reason="usage limit", until=bench.clock.now())
    await bench.result(execution.fence, Result(ok=False, units=units, deferral=deferral))
    return (await bench.finished(execution.fence, Outcome.DEFERRED, deferral=deferral)).work


async def events(bench: Bench, kind: str) -> list[object]:
    return [event for event in await bench.see(lambda tx: tx.events.with_key("work:wrk-1-1")) if event.type == kind]


# C-166
@pytest.mark.parametrize("unit", ["usd", "eur", "tokens", "minutes", "pages_read"])
async def test_a_budget_may_count_any_unit_that_runs_report(bench: Bench, unit: str) -> None:
    purse = Purse(bench, budget(5, unit), budget(9, "turns"))
    work = await purse.spent(await bench.ready(), **{unit: 2.5})
    await purse.settle()
    assert (await purse.used(work, 0), await purse.used(work, 1)) == (2.5, 1)


# C-167
@pytest.mark.parametrize(
    ("unit", "amount"),
    [
        *((unit, 1.0) for unit in ("turns", "attempts", "USD", "", "2usd", "us-d", "usd\n", "u" * 33)),
        *(("usd", amount) for amount in (-0.01, float("nan"), float("inf"))),
    ],
)
def test_a_run_does_not_report_what_it_may_not(unit: str, amount: float) -> None:
    with pytest.raises(ValueError, match=r"not a unit|must be finite"):
        Result(ok=True, units={unit: amount})
    with pytest.raises(ValueError, match=r"not a unit|must be finite"):
        Turn(status="done", used={unit: amount})


# C-167 (negative control)
def test_a_run_may_report_nothing_and_much() -> None:
    units = {"usd": 0.0, "u" * 32: 1e300, "tokens_2": 0.5}
    assert Result(ok=True, units=units).units == Turn(status="done", used=units).used == units


# C-170
async def test_what_a_run_used_waits_and_is_charged_by_the_next_settlement(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=2)
    assert await purse.used(work) == 0
    assert await purse.settle()
    assert await purse.used(work) == 2
    assert not await purse.settle(), "once"
    assert await purse.used(work) == 2


# C-170
async def test_what_waits_is_charged_by_the_next_claim_before_it_checks(bench: Bench) -> None:
    purse = Purse(bench, budget(5, **FOR_ALL))
    await purse.spent(await bench.ready(1), usd=5)
    await purse.held(await bench.ready(2))


# C-170, C-196
async def test_without_budgets_what_waits_is_dropped(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await Purse(bench).settle()
    assert not await purse.settle()
    assert await purse.used(work) == 0


# C-171
async def test_a_ledger_counts_from_the_claim_by_which_its_budget_is_first_known(bench: Bench) -> None:
    early = (await bench.claimed(1)).execution
    purse = Purse(bench, budget(9, **FOR_ALL))
    bench.clock.advance(1)
    late = await purse.start(await bench.ready(2))
    work = await purse.use(early, usd=4)
    await purse.use(late, usd=1)
    await purse.settle()
    assert await purse.used(work) == 1


# C-171, C-196
async def test_a_ledger_counts_a_claim_whose_clock_was_behind(bench: Bench) -> None:
    """Clocks step back; what was claimed under a budget is charged to it all the same."""
    purse = Purse(bench, budget(9, **FOR_ALL))
    await purse.start(await bench.ready(1))
    bench.clock.advance(-HOUR)
    work = await purse.spent(await bench.ready(2), usd=3)
    await purse.settle()
    assert await purse.used(work) == 3


# C-171
async def test_usage_belongs_to_the_window_of_its_claim(bench: Bench) -> None:
    purse = Purse(bench, budget(5, per=Per.SCOPE, period=Period.DAY), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    yesterday = (await purse.bar(work)).ledger
    bench.clock.advance(DAY)
    assert await purse.reserved(work) == 0, "the reservation is yesterday's too"
    await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    taken = await bench.recover(execution.id)
    assert taken is not None
    await purse.use(taken.execution, usd=3)
    await purse.settle()
    assert await bench.see(lambda tx: tx.ledgers.used(yesterday)) == whole(3)
    assert await purse.used(work) == 0


# C-169
async def test_a_stale_copy_charges_nothing_a_second_time(bench: Bench) -> None:
    purse = Purse(bench, budget(9))
    work = await bench.ready()
    stale = await purse.start(work)
    await purse.use(stale, usd=2)
    await bench.do(lambda tx, now: stage(tx, stale, {"usd": 2.0}, now))
    await purse.settle()
    await bench.do(lambda tx, now: stage(tx, stale, {"usd": 2.0}, now))
    await purse.settle()
    assert await purse.used(work) == 2


# C-169
async def test_a_park_and_the_end_after_it_charge_each_its_own_stretch(bench: Bench) -> None:
    purse = Purse(bench, budget(9))
    work = await bench.ready()
    await suspend(bench, await purse.start(work), usd=1)
    await bench.comment(work.id)
    work = await purse.use(await purse.start(work), usd=2)
    await purse.settle()
    assert await purse.used(work) == 3
    assert work.usage == {"usd": 3.0}
    (execution,) = await bench.see(lambda tx: tx.executions.of_work(work.id))
    assert execution.staged == {"usd": 3.0}


# C-169
async def test_a_run_that_is_timed_out_is_charged_what_it_had_declared(bench: Bench) -> None:
    purse = Purse(bench, budget(9))
    work = await bench.ready()
    execution = await bench.run((await purse.start(work)).fence, token=TOKEN)
    await bench.declare(TOKEN, Turn(status="done", used={"usd": 2.0}))
    bench.clock.advance(execution.binding.timeout - LEASE)
    await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    taken = await bench.recover(execution.id)
    assert taken is not None
    bench.clock.advance(LEASE - 1)
    await bench.do(lambda tx, now: tx.executions.renew(taken.execution.fence, now=now, lease=LEASE))
    bench.clock.advance(1)
    timer = TimerId("tmr")
    ended = await bench.do(lambda tx, now: time_out(tx, taken.execution.fence, timer=timer, now=now))
    assert ended is not None
    await purse.settle()
    assert await purse.used(work) == 2
    assert (await bench.work(work.id)).usage == {"usd": 2.0}


# C-169
async def test_a_failure_is_charged_as_any_other_end(bench: Bench) -> None:
    purse = Purse(bench, budget(9))
    work = await purse.use(await purse.start(await bench.ready()), Outcome.FAILED, usd=2)
    await purse.settle()
    assert await purse.used(work) == 2


# C-169
async def test_a_work_that_is_cancelled_is_charged_the_result_that_was_stored(bench: Bench) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    await bench.result(execution.fence, Result(ok=True, units={"usd": 1.0}))
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (1, 0)


@pytest.mark.parametrize("parked", [False, True])
async def test_a_cancelled_run_that_told_nothing_is_charged_its_reservation_unless_it_was_parked(
    bench: Bench,
    parked: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    if not parked:
        await bench.run(execution.fence)
    else:
        await suspend(bench, execution, usd=1)
        await purse.settle()
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (1 if parked else 4, 0)


async def test_a_launch_that_never_called_its_executor_is_charged_nothing(bench: Bench) -> None:
    """Else a repository that cannot be fetched would eat the budget."""
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    await bench.fail(execution.fence)
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (0, 0)


async def test_an_end_without_a_report_is_charged_what_was_reserved_and_marked_as_estimated(bench: Bench) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await purse.use(await purse.start(await bench.ready()))
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (4, 0)
    (event,) = await bench.see(
        lambda tx: [e for e in tx.events.with_key(f"work:{work.id}") if e.type == "core.budget.estimated"]
    )
    assert event.data["units"] == {"usd": 4.0}


# C-196
@pytest.mark.parametrize("reported", [0.0, 1.0, 7.0])
async def test_an_end_with_a_report_is_charged_what_it_reports(bench: Bench, reported: float) -> None:
    purse = Purse(bench, budget(90), usd=4)
    work = await purse.spent(await bench.ready(), usd=reported)
    assert await purse.reserved(work) == 4, "until it is settled"
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (reported, 0)
    assert await events(bench, "core.budget.estimated") == []


async def test_recovery_carries_the_reservation(bench: Bench) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    taken = await bench.recovered(execution.id)
    assert await purse.reserved(work) == 4
    await purse.use(taken.execution, usd=1)
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (1, 0)


async def test_a_park_settles_the_reservation_and_a_resume_makes_one_of_its_own(bench: Bench) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    await suspend(bench, await purse.start(work), usd=1)
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (1, 0)
    await bench.comment(work.id)
    await purse.start(work)
    assert (await purse.used(work), await purse.reserved(work)) == (1, 4)


async def test_a_resume_reserves_what_its_attempt_was_pinned_to(bench: Bench) -> None:
    purse = Purse(bench, budget(9), usd=4)
    work = await bench.ready()
    await suspend(bench, await purse.start(work), usd=0)
    await bench.comment(work.id)
    changed = Purse(bench, budget(9), usd=8)
    assert isinstance(await changed.try_start(work), Claimed)
    assert await changed.reserved(work) == 4


async def test_a_deferral_gives_back_its_claims_charges_and_is_charged_the_money_it_used(bench: Bench) -> None:
    purse = Purse(bench, budget(9, "turns"), budget(9, "attempts"), budget(90), usd=4)
    work = await bench.ready()
    execution = await purse.start(work)
    assert [await purse.used(work, place) for place in range(3)] == [1, 1, 0]
    await defer(bench, execution, usd=2)
    await purse.settle()
    assert [await purse.used(work, place) for place in range(3)] == [0, 0, 2]
    assert await purse.reserved(work, 2) == 0


async def test_a_deferral_that_reports_nothing_used_nothing(bench: Bench) -> None:
    """Else a night of usage limits would eat the budget."""
    purse = Purse(bench, budget(90), usd=4)
    work = await bench.ready()
    await defer(bench, await purse.start(work))
    await purse.settle()
    assert (await purse.used(work), await purse.reserved(work)) == (0, 0)


@pytest.mark.parametrize("slept", [MINUTE, 0])
async def test_a_deferral_of_a_resumed_attempt_gives_back_the_turn_alone(bench: Bench, slept: int) -> None:
    """Also when it was resumed in the very moment in which it had been claimed first."""
    purse = Purse(bench, budget(9, "turns"), budget(9, "attempts"))
    work = await bench.ready()
    await suspend(bench, await purse.start(work))
    await bench.comment(work.id)
    bench.clock.advance(slept)
    await defer(bench, await purse.start(work))
    await purse.settle()
    assert [await purse.used(work, place) for place in range(2)] == [1, 1]


async def test_a_ledger_never_falls_below_nothing(bench: Bench) -> None:
    plain = Purse(bench)
    work = await bench.ready()
    execution = await plain.start(work)
    purse = Purse(bench, budget(9, "turns"))
    await purse.start(await bench.ready(2))
    await bench.do(lambda tx, now: tx.ledgers.open(purse.terms.budgets[0].ledger(work, now), now))
    await defer(bench, execution)
    await purse.settle()
    assert await purse.used(work) == 0


async def test_a_nonsensical_report_is_bounded_and_settles(bench: Bench) -> None:
    purse = Purse(bench, budget(9))
    work = await purse.spent(await bench.ready(), usd=1e300)
    await purse.held(work)
    assert await purse.used(work) == 1e9


async def test_a_stretch_that_was_taken_over_belongs_to_the_claim_before_it(bench: Bench) -> None:
    first = await bench.running()
    bench.clock.advance(MINUTE)
    taken = await bench.recovered(first.id)
    assert claimed_at(taken.execution) == first.started_at
    dropped = replace(taken.execution.segments, kept=taken.execution.segments.kept[1:])
    assert claimed_at(replace(taken.execution, segments=dropped)) == first.started_at
