"""How much an attempt may use, as its order tells its executor (ag-H03)."""

from __future__ import annotations

from bot.domain.execution import Execution
from bot.domain.work import Work
from bot.scheduler.budgets import allowance
from tests.scheduler.bench import Bench
from tests.scheduler.purse import FOR_ALL, Purse, budget


async def left(purse: Purse, work: Work, execution: Execution) -> dict[str, float]:
    now = purse.bench.clock.now()
    return dict(await purse.bench.see(lambda tx: allowance(tx, work, execution, purse.terms.budgets, now)))


# ag-H03
async def test_an_attempt_may_use_what_is_left_of_the_narrowest_budget(bench: Bench) -> None:
    purse = Purse(bench, budget(5), budget(100, **FOR_ALL), budget(9, "turns"), budget(60, "minutes"))
    work = await purse.spent(await bench.ready(), usd=2)
    execution = await purse.start(work)
    assert await left(purse, work, execution) == {"usd": 3.0, "minutes": 60.0}


# ag-H03
async def test_what_others_have_reserved_is_theirs_and_its_own_reservation_is_its_own(bench: Bench) -> None:
    purse = Purse(bench, budget(10, **FOR_ALL), usd=4)
    execution = await purse.start(await bench.ready(1))
    await purse.start(await bench.ready(2))
    assert await left(purse, await bench.work(execution.work), execution) == {"usd": 6.0}


async def test_an_attempt_that_a_person_let_start_over_budget_may_use_what_it_has_reserved(bench: Bench) -> None:
    purse = Purse(bench, budget(5), usd=4)
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.release((await purse.held(work)).id)
    execution = await purse.start(work)
    assert await left(purse, work, execution) == {"usd": 4.0}


async def test_where_nobody_knows_how_much_an_attempt_takes_a_person_let_it_start_without_a_limit(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.release((await purse.held(work)).id)
    assert await left(purse, work, await purse.start(work)) == {}


# C-196
async def test_without_budgets_an_attempt_has_no_limit(bench: Bench) -> None:
    purse = Purse(bench, usd=4)
    work = await bench.ready()
    assert await left(purse, work, await purse.start(work)) == {}
