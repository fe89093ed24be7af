"""The settlement pass; and that nothing starts where a ledger cannot be read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import cast

import pytest
from structlog.testing import capture_logs

from bot.clock import DAY, Millis
from bot.domain.budget import whole
from bot.domain.hold import Hold, HoldState
from bot.domain.work import Work
from bot.errors import StorageError
from bot.host.scope_limits import ScopeLimits
from bot.host.settling import SettlePass
from bot.storage.contract import Store, Tx
from bot.storage.ledgers import Ledgers
from tests.host.test_starting import Desk, desk_on
from tests.scheduler.bench import Bench
from tests.scheduler.purse import DAILY, Purse, budget
from tests.storage.backend import INLINE
from tests.storage.twice import Writable
from tests.storage.unreadable import BREAKING, break_row


def settling(purse: Purse, woken: list[None] | None = None) -> SettlePass:
    store = cast("Store", purse.bench.store)
    return SettlePass(
        store=store,
        clock=purse.bench.clock,
        scopes=ScopeLimits(store=store, named=dict),
        terms=lambda _: purse.terms,
        wake=lambda: None if woken is None else woken.append(None),
    )


# C-170
async def test_the_pass_charges_what_runs_used_and_does_nothing_without_any(bench: Bench) -> None:
    purse, woken = Purse(bench, budget(9)), cast("list[None]", [])
    work = await purse.spent(await bench.ready(), usd=2)
    await settling(purse, woken).run()
    assert await purse.used(work) == 2
    assert woken == [None]
    await settling(purse, woken).run()
    assert woken == [None]


# gh-B-02
async def test_the_pass_lifts_the_hold_of_a_day_when_the_day_is_over(bench: Bench) -> None:
    purse = Purse(bench, budget(5, **DAILY))
    work = await purse.spent(await bench.ready(), usd=5)
    hold = await purse.held(work)
    await settling(purse).run()
    assert await state(bench, hold) is HoldState.OPEN
    bench.clock.advance(DAY)
    await settling(purse).run()
    assert await state(bench, hold) is HoldState.RELEASED


async def test_the_pass_lifts_a_hold_when_the_operator_allows_more(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    hold = await purse.held(work)
    await settling(purse).run()
    assert await state(bench, hold) is HoldState.OPEN
    await settling(Purse(bench, budget(6))).run()
    assert await state(bench, hold) is HoldState.RELEASED


async def state(bench: Bench, hold: Hold) -> HoldState:
    found = await bench.see(lambda tx: tx.holds.get(hold.id))
    assert found is not None
    return found.state


@pytest.fixture
async def desk(bench: Bench) -> AsyncIterator[Desk]:
    async with desk_on(bench) as opened:
        yield opened


# ag-H07
async def test_where_a_ledger_cannot_be_read_nothing_starts_and_the_others_go_on(
    bench: Bench, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that cannot be read is not one that is empty."""
    broken, sound = [await bench.ready(number, playbook="tidy") for number in (1, 2)]
    ledger = budget(5).ledger(broken, bench.clock.now())
    read = _fault(monkeypatch, ledger)
    with capture_logs() as logs:
        await desk.start.run()
        await desk.start.run()
    assert read, "it was asked for"
    assert await started(bench) == [sound.id]
    assert [each["work"] for each in logs if each["event"] == "start_postponed"] == [broken.id]
    assert await bench.see(lambda tx: tx.holds.of_work(broken.id)) == []


# C-172
async def test_the_log_says_which_start_a_budget_holds_and_why(bench: Bench, desk: Desk) -> None:
    held, other = [await bench.ready(number, playbook="tidy") for number in (1, 2)]

    def spend(tx: Tx, now: Millis) -> None:
        ledger = budget(5).ledger(held, now)
        tx.ledgers.open(ledger, now)
        tx.ledgers.charge(ledger, whole(5), claimed_at=now)

    await bench.do(spend)
    with capture_logs() as logs:
        await desk.start.run()
    told = [(each["work"], each["reason"]) for each in logs if each["event"] == "over_budget"]
    assert told == [(held.id, "5.00 of 5.00 usd used by this issue")]
    assert await started(bench) == [other.id]


# ag-H07, C-196
async def test_where_every_ledger_can_be_read_all_start(bench: Bench, desk: Desk) -> None:
    works = [await bench.ready(number, playbook="tidy") for number in (1, 2)]
    await desk.start.run()
    assert await started(bench) == [work.id for work in works]


def _fault(monkeypatch: pytest.MonkeyPatch, ledger: str) -> list[str]:
    """Let the reading of one ledger fail, as that of a damaged page does. Returns how often it was asked for."""
    asked: list[str] = []
    used = Ledgers.used

    def failing(ledgers: Ledgers, key: str) -> int:
        if key == ledger:
            asked.append(key)
            raise StorageError("database disk image is malformed")
        return used(ledgers, key)

    monkeypatch.setattr(Ledgers, "used", failing)
    return asked


async def started(bench: Bench) -> list[str]:
    def live(tx: Tx) -> list[Work]:
        return [tx.works.get(execution.work) for execution in tx.executions.live()]

    return sorted(work.id for work in await bench.see(live))


class TestUnreadable:
    @pytest.fixture
    async def store(self, place: str) -> AsyncIterator[Writable[Tx]]:
        opened = await INLINE.open(place, bind=Tx, more=[BREAKING])
        yield opened
        await opened.close()

    # gh-Z-01, gh-Z-06, C-170
    async def test_a_work_that_cannot_be_read_keeps_no_other_from_being_charged_lifted_or_started(
        self, bench: Bench
    ) -> None:
        purse, woken = Purse(bench, budget(5), usd=1), cast("list[None]", [])
        broken, held, other = [await bench.ready(number) for number in (1, 2, 3)]
        await purse.spent(held, usd=5)
        hold = await purse.held(held)
        first, second = await purse.start(broken), await purse.start(other)
        await purse.use(first, usd=2)
        await purse.use(second, usd=3)
        await bench.store.write(lambda tx: break_row(tx, "work", broken.id))
        purse.terms = replace(purse.terms, budgets=(budget(9),))
        await settling(purse, woken).run()
        assert await purse.used(other) == 3
        assert await state(bench, hold) is HoldState.RELEASED
        await purse.start(other)
        assert [each.work for each in await bench.see(lambda tx: tx.ledgers.staged())] == [broken.id]
        assert (await purse.used(broken), await purse.reserved(broken)) == (0, 1)
        woken.clear()
        await settling(purse, woken).run()
        assert woken == [], "what nobody can read does not keep the loop turning"
