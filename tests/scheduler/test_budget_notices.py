"""Notices of budgets: once for each window, kind, limit and scope, and never input of a Work."""

from __future__ import annotations

from bot.clock import DAY
from bot.domain.budget import Period
from bot.domain.event import Event, Routing
from bot.domain.scope import repository_scope
from bot.scheduler.notices import EXCEEDED, WARNING
from tests.scheduler.bench import Bench
from tests.scheduler.purse import FOR_ALL, Purse, budget


async def notices(bench: Bench) -> list[Event]:
    return [event for event in await bench.see(lambda tx: tx.events.pending()) if event.type in {WARNING, EXCEEDED}]


async def kinds(bench: Bench) -> list[str]:
    return [event.type for event in await notices(bench)]


# C-176, C-177
async def test_a_charge_that_crosses_the_fraction_warns_once(bench: Bench) -> None:
    purse = Purse(bench, budget(10, warn_at=0.8))
    work = await purse.spent(await bench.ready(), usd=7.9)
    await purse.settle()
    assert await notices(bench) == []
    work = await purse.spent(work, usd=0.1)
    await purse.settle()
    work = await purse.spent(work, usd=0.1)
    await purse.settle()
    (notice,) = await notices(bench)
    assert notice.type == WARNING
    assert notice.data == {
        "schema": "core.budget.v1",
        "work": work.id,
        "unit": "usd",
        "used": 8.0,
        "max": 10.0,
        "per": "work",
        "period": "life",
    }
    assert (notice.scope, notice.cause, notice.routing) == (work.scope, None, Routing.PENDING)


# C-177
async def test_a_notice_is_not_addressed_to_the_work_it_names(bench: Bench) -> None:
    purse = Purse(bench, budget(1))
    work = await purse.spent(await bench.ready(), usd=1)
    await purse.settle()
    (notice,) = await notices(bench)
    assert notice.keys == ()
    assert await bench.kinds(work.id) == ["comment"]
    assert not await bench.see(lambda tx: tx.events.unrouted_for(work.id))


# C-176
async def test_a_charge_that_crosses_both_limits_tells_the_higher(bench: Bench) -> None:
    purse = Purse(bench, budget(10, warn_at=0.8))
    await purse.spent(await bench.ready(), usd=10)
    await purse.settle()
    assert await kinds(bench) == [EXCEEDED]


# C-176, C-196
async def test_a_budget_without_a_fraction_warns_of_nothing(bench: Bench) -> None:
    purse = Purse(bench, budget(10))
    await purse.spent(await bench.ready(), usd=9.9)
    await purse.settle()
    assert await notices(bench) == []


# C-176
async def test_turns_warn_at_the_claim_that_takes_them(bench: Bench) -> None:
    purse = Purse(bench, budget(2, "turns", warn_at=0.5))
    await purse.start(await bench.ready())
    assert await kinds(bench) == [WARNING]


# C-176
async def test_a_budget_of_everything_tells_each_scope_in_its_own_scope_and_each_once(bench: Bench) -> None:
    purse = Purse(bench, budget(100, warn_at=0.05, **FOR_ALL))
    there = repository_scope(2)
    for number in (1, 2):
        await purse.spent(await bench.ready(number), usd=5)
        await purse.spent(await bench.ready(number, repository=2, scope=there), usd=5)
    await purse.settle()
    assert [(event.type, event.scope) for event in await notices(bench)] == [
        (WARNING, repository_scope(1)),
        (WARNING, there),
    ]


# C-176
async def test_a_new_window_warns_anew(bench: Bench) -> None:
    purse = Purse(bench, budget(10, warn_at=0.5, period=Period.DAY))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.settle()
    bench.clock.advance(DAY)
    await purse.spent(work, usd=5)
    await purse.settle()
    assert await kinds(bench) == [WARNING, WARNING]


# C-178
async def test_a_hold_by_a_limit_that_was_lowered_tells_that_it_is_exceeded(bench: Bench) -> None:
    wide, narrow = Purse(bench, budget(10)), Purse(bench, budget(5))
    work = await wide.spent(await bench.ready(), usd=6)
    await wide.settle()
    assert await notices(bench) == []
    await narrow.held(work)
    (notice,) = await notices(bench)
    assert (notice.type, notice.data["used"], notice.data["max"]) == (EXCEEDED, 6.0, 5.0)


# C-178, C-196
async def test_a_hold_of_a_work_that_would_go_over_its_budget_does_not_say_that_it_has(bench: Bench) -> None:
    purse = Purse(bench, budget(5), usd=4)
    work = await purse.spent(await bench.ready(), usd=2)
    await purse.held(work)
    assert await notices(bench) == []
