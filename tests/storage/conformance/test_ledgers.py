"""Ledgers, reservations, staged usage and raises."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.hold import HoldKind
from bot.ids import ExecutionId, HoldId, WorkId
from bot.storage.ledgers import Raise, Staged
from bot.storage.sql import Value
from tests.clock import START
from tests.factories import claim_one, ready_work
from tests.storage.conformance.conftest import Store
from tests.storage.conformance.test_holds import make_hold

KEY = "usd/work/item:1/1/work-issue/life"
TURNS = "turns/all/life"
LATER, EARLIER = Millis(START + 1), Millis(START - 1)
RAISE = Raise(
    source="comment/1", item="item:1/1", playbook="work-issue", unit="usd", amount=5, login="ada", raised_at=START
)


async def running(store: Store, number: int = 1) -> ExecutionId:
    return (await claim_one(store, (await ready_work(store, number)).id, now=START)).execution.id


async def test_a_ledger_counts_from_the_time_it_was_opened(store: Store, other: Store) -> None:
    # C-171
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 0
    assert not await store.write(lambda tx: tx.ledgers.charge(KEY, 5, claimed_at=START))
    await store.write(lambda tx: tx.ledgers.open(KEY, START))
    assert await other.write(lambda tx: tx.ledgers.charge(KEY, 5, claimed_at=START))
    assert not await store.write(lambda tx: tx.ledgers.charge(KEY, 7, claimed_at=EARLIER))
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 5


async def test_a_ledger_that_is_opened_again_keeps_what_it_counted_and_its_earliest_time(store: Store) -> None:
    await store.write(lambda tx: tx.ledgers.open(KEY, START))
    await store.write(lambda tx: tx.ledgers.charge(KEY, 5, claimed_at=START))
    await store.write(lambda tx: tx.ledgers.open(KEY, LATER))
    assert await store.write(lambda tx: tx.ledgers.charge(KEY, 1, claimed_at=START))
    await store.write(lambda tx: tx.ledgers.open(KEY, EARLIER))
    assert await store.write(lambda tx: tx.ledgers.charge(KEY, 1, claimed_at=EARLIER))
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 7


async def test_what_is_given_back_leaves_no_less_than_nothing(store: Store) -> None:
    await store.write(lambda tx: tx.ledgers.open(KEY, START))
    await store.write(lambda tx: tx.ledgers.charge(KEY, 5, claimed_at=START))
    await store.write(lambda tx: tx.ledgers.charge(KEY, -2, claimed_at=START))
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 3
    await store.write(lambda tx: tx.ledgers.charge(KEY, -9, claimed_at=START))
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 0


async def test_large_amounts_are_counted_exactly(store: Store) -> None:
    await store.write(lambda tx: tx.ledgers.open(KEY, START))
    for _ in range(3):
        await store.write(lambda tx: tx.ledgers.charge(KEY, 10**15 + 1, claimed_at=START))
    assert await store.read(lambda tx: tx.ledgers.used(KEY)) == 3 * 10**15 + 3


async def test_reservations_are_summed_by_ledger_and_released_by_attempt(store: Store, other: Store) -> None:
    one, two = await running(store, 1), await running(store, 2)
    assert await store.read(lambda tx: tx.ledgers.reserved(KEY)) == 0
    await store.write(lambda tx: tx.ledgers.open(KEY, START))
    await store.write(lambda tx: tx.ledgers.open(TURNS, START))
    await store.write(lambda tx: tx.ledgers.reserve(one, KEY, 4))
    await store.write(lambda tx: tx.ledgers.reserve(one, TURNS, 1))
    await other.write(lambda tx: tx.ledgers.reserve(two, KEY, 3))
    assert await other.read(lambda tx: tx.ledgers.reserved(KEY)) == 7
    assert await store.read(lambda tx: tx.ledgers.reservations(one)) == {"usd": 4, "turns": 1}
    await store.write(lambda tx: tx.ledgers.reserve(one, KEY, 5))
    assert await store.read(lambda tx: tx.ledgers.reserved(KEY)) == 8, "an attempt reserves once in a ledger"
    await other.write(lambda tx: tx.ledgers.release(one))
    assert await store.read(lambda tx: tx.ledgers.reserved(KEY)) == 3
    assert await store.read(lambda tx: tx.ledgers.reservations(one)) == {}


async def test_what_a_stretch_used_is_staged_once_and_comes_oldest_first(store: Store, other: Store) -> None:
    # C-169
    execution = await running(store)
    work = WorkId("wrk-1-1")
    first = Staged(
        id="b", execution=execution, work=work, claimed_at=START, units={"usd": 0.1, "turns": -1.0}, staged_at=START
    )
    assert await store.write(lambda tx: tx.ledgers.stage(first))
    assert not await other.write(lambda tx: tx.ledgers.stage(replace(first, units={"usd": 9.0})))
    second = replace(first, id="a", units={}, staged_at=LATER)
    assert await other.write(lambda tx: tx.ledgers.stage(second))
    assert await store.read(lambda tx: tx.ledgers.staged()) == [first, second]
    await store.write(lambda tx: tx.ledgers.settled(first))
    assert await other.read(lambda tx: tx.ledgers.staged()) == [second]


async def test_raises_of_an_item_and_playbook_add_up_and_one_source_counts_once(store: Store, other: Store) -> None:
    assert await store.read(lambda tx: tx.ledgers.raised("item:1/1", "work-issue", "usd")) == 0
    assert await store.write(lambda tx: tx.ledgers.add_raise(RAISE))
    assert not await other.write(lambda tx: tx.ledgers.add_raise(replace(RAISE, amount=100)))
    others = [{"item": "item:1/2"}, {"playbook": "review-pr"}, {"unit": "tokens"}, {}]
    for number, change in enumerate(others):
        entry = replace(RAISE, source=f"comment/other-{number}", **change)  # type: ignore[arg-type] # fields as they are
        assert await other.write(lambda tx, e=entry: tx.ledgers.add_raise(e))  # type: ignore[misc] # a default pins the loop's value
    assert await store.read(lambda tx: tx.ledgers.raised("item:1/1", "work-issue", "usd")) == 10


async def test_the_open_holds_of_a_kind_are_found_over_all_work(store: Store, other: Store) -> None:
    one, two = await ready_work(store, 1), await ready_work(store, 2)
    gate = make_hold(one)
    budgets = [make_hold(work, id=HoldId(f"hld-{work.id}"), kind=HoldKind.BUDGET) for work in (one, two)]
    for hold in (gate, *budgets):
        await store.write(lambda tx, h=hold: tx.holds.place(h))  # type: ignore[misc] # a default pins the loop's value
    assert await other.read(lambda tx: tx.holds.open_of_kind(HoldKind.BUDGET)) == budgets
    assert await other.read(lambda tx: tx.holds.open_of_kind(HoldKind.GATE)) == [gate]
    assert await other.read(lambda tx: tx.holds.open_of_kind(HoldKind.OPERATOR)) == []


async def test_staged_usage_that_nobody_can_read_hides_no_other_and_stays(store: Store) -> None:
    # gh-Z-01
    execution = await running(store)
    row: dict[str, Value] = {"execution": execution, "claimed_at": START, "staged_at": START}
    await store.write(lambda tx: tx.ledgers.sql.run("staged_usage_insert", id="a", units="[]", **row))
    await store.write(lambda tx: tx.ledgers.sql.run("staged_usage_insert", id="b", units="{}", **row))
    assert [each.id for each in await store.read(lambda tx: tx.ledgers.staged())] == ["b"]
