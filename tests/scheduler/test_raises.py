"""Raising the cap of one Work, within the operator's ceiling; and what a budget held going on by itself."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import DAY
from bot.domain.budget import Per, Period, whole
from bot.domain.hold import HoldState
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed
from bot.scheduler.raises import ALLOWED_AGAIN, RaiseAnswer, Raised, lift, raise_budget
from bot.storage.ledgers import Raise
from tests.scheduler.bench import Bench
from tests.scheduler.purse import DAILY, Purse, budget


def purse_of(bench: Bench, *budgets: object, ceiling: float | None = 20) -> Purse:
    purse = Purse(bench, *budgets)  # type: ignore[arg-type] # budgets, as the test has them
    purse.terms = replace(purse.terms, ceiling={} if ceiling is None else {"usd": whole(ceiling)})
    return purse


async def ask(purse: Purse, work: Work, amount: float, *, unit: str = "usd", source: str = "comment/1") -> RaiseAnswer:
    entry = Raise(
        source=source,
        item=work.item,
        playbook=work.playbook,
        unit=unit,
        amount=whole(amount),
        login="grace",
        raised_at=purse.bench.clock.now(),
    )
    event = EventId(f"evt-{source}")

    async def current() -> Work:
        return await purse.bench.work(work.id)

    seen = await current()
    return await purse.bench.do(lambda tx, now: raise_budget(tx, seen, entry, purse.terms, event=event, now=now))


# ag-H04, ag-H05
async def test_a_raise_gives_a_new_cap_and_lifts_the_hold_and_what_was_used_stays_used(bench: Bench) -> None:
    purse = purse_of(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    hold = await purse.held(work)
    answer = await ask(purse, work, 5)
    assert answer == RaiseAnswer(raised=Raised.DONE, cap=whole(10), ceiling=whole(20), lifted=True)
    settled = await bench.see(lambda tx: tx.holds.get(hold.id))
    assert settled is not None
    assert (settled.state, settled.settled_by) == (HoldState.RELEASED, "grace")
    assert not (await bench.work(work.id)).budget_pass, "a raise leaves no pass"
    work = await purse.spent(work, usd=5)
    assert (await purse.held(work)).reason == "10.00 of 10.00 usd used by this issue"


async def test_one_source_raises_once(bench: Bench) -> None:
    purse = purse_of(bench, budget(5))
    work = await bench.ready()
    assert (await ask(purse, work, 5)).cap == whole(10)
    assert (await ask(purse, work, 5)).cap == whole(10)
    assert (await ask(purse, work, 5, source="comment/2")).cap == whole(15)


async def test_nobody_raises_above_the_operators_ceiling(bench: Bench) -> None:
    purse = purse_of(bench, budget(5), ceiling=10)
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.held(work)
    answer = await ask(purse, work, 5.000001)
    assert answer == RaiseAnswer(raised=Raised.OVER_CEILING, cap=whole(5), ceiling=whole(10))
    assert (await bench.see(lambda tx: tx.holds.open(work.id))) != []
    assert (await ask(purse, work, 5)).raised is Raised.DONE
    assert (await ask(purse, work, 0.000001, source="comment/2")).raised is Raised.OVER_CEILING


async def test_without_a_ceiling_nobody_raises(bench: Bench) -> None:
    purse = purse_of(bench, budget(5), ceiling=None)
    assert (await ask(purse, await bench.ready(), 1)).raised is Raised.NO_CEILING


async def test_only_the_budget_of_a_work_for_its_life_is_raised(bench: Bench) -> None:
    purse = purse_of(bench, budget(5, **DAILY), budget(5, period=Period.DAY), budget(5, per=Per.ALL))
    assert (await ask(purse, await bench.ready(), 1)).raised is Raised.NO_BUDGET
    assert (await ask(purse_of(bench, budget(5, "tokens")), await bench.ready(2), 1)).raised is Raised.NO_BUDGET


async def test_a_raise_that_does_not_reach_leaves_the_hold(bench: Bench) -> None:
    purse = purse_of(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=9)
    await purse.held(work)
    assert not (await ask(purse, work, 1)).lifted
    assert (await ask(purse, work, 4, source="comment/2")).lifted


async def test_a_raise_does_not_lift_what_another_budget_holds(bench: Bench) -> None:
    purse = purse_of(bench, budget(5, **DAILY), budget(50))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.held(work)
    purse.terms = replace(purse.terms, ceiling={"usd": whole(90)})
    answer = await ask(purse, work, 5)
    assert (answer.raised, answer.lifted) == (Raised.DONE, False)


async def test_a_raise_is_shown_also_when_it_lifts_nothing(bench: Bench) -> None:
    """The thread says how much may be used, whatever else holds the Work."""
    purse = purse_of(bench, budget(5, **DAILY), budget(9))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.held(work)
    before = await bench.see(lambda tx: tx.threads.get(work.item))
    await ask(purse, work, 5)
    after = await bench.see(lambda tx: tx.threads.get(work.item))
    assert before is not None
    assert after is not None
    assert after.wanted > before.wanted


# ag-H04
async def test_a_raise_is_for_the_item_and_playbook_also_in_a_later_run(bench: Bench) -> None:
    purse = purse_of(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await ask(purse, work, 1)
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    successor = await bench.ready(1, id=work.id + "-b", run=2)
    assert (await purse.bar(successor)).max == whole(6)
    assert (await purse.bar(await bench.ready(2))).max == whole(5), "and for no other issue"


# gh-B-02
async def test_a_hold_of_a_day_goes_when_the_day_is_over(bench: Bench) -> None:
    purse = Purse(bench, budget(5, **DAILY))
    work = await purse.spent(await bench.ready(), usd=5)
    hold = await purse.held(work)
    assert not await lifted(purse, work)
    bench.clock.advance(DAY)
    assert await lifted(purse, work)
    settled = await bench.see(lambda tx: tx.holds.get(hold.id))
    assert settled is not None
    assert (settled.state, settled.settled_reason) == (HoldState.RELEASED, ALLOWED_AGAIN)
    assert isinstance(await purse.try_start(work), Claimed)


# C-196
async def test_a_hold_of_a_life_stays(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.held(work)
    bench.clock.advance(400 * DAY)
    assert not await lifted(purse, work)


async def lifted(purse: Purse, work: Work) -> bool:
    seen = await purse.bench.work(work.id)
    return await purse.bench.do(lambda tx, now: lift(tx, seen, purse.terms, by="", reason=ALLOWED_AGAIN, now=now))
