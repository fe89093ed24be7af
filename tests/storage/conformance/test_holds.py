"""Holds, decisions and timers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.timer import Timer, TimerKind
from bot.domain.work import Work
from bot.ids import EventId, HoldId, TimerId
from bot.storage.contract import Tx
from bot.storage.holds import Decision
from bot.storage.sql import UniqueViolation
from tests.clock import START
from tests.factories import ready_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + 1)


def make_hold(work: Work, **changes: object) -> Hold:
    hold = Hold(
        id=HoldId("hld-1"),
        work=work.id,
        kind=HoldKind.GATE,
        holder="approvals",
        reason="ask §",
        revision="r",
        details={"need": [1, "ü"]},
        placed_at=START,
    )
    return replace(hold, **changes)  # type: ignore[arg-type] # the test names fields as they are


def make_decision(hold: Hold, **changes: object) -> Decision:
    decision = Decision(
        source="comment:1",
        hold=hold.id,
        person=7,
        login="grace",
        verb="approve",
        reason="§",
        revision="r",
        permission=3,
        decided_at=START,
    )
    return replace(decision, **changes)  # type: ignore[arg-type] # the test names fields as they are


async def held(store: Store) -> Hold:
    hold = make_hold(await ready_work(store))
    await store.write(lambda tx: tx.holds.place(hold))
    return hold


async def test_a_hold_comes_back_as_it_was_placed_and_is_settled_once(store: Store, other: Store) -> None:
    hold = await held(store)
    assert await store.read(lambda tx: tx.holds.get(hold.id)) == hold
    assert await store.read(lambda tx: tx.holds.open(hold.work)) == [hold]
    settle = replace(hold, state=HoldState.ADMITTED, settled_at=LATER, settled_by="grace", settled_reason="looks right")
    assert await store.write(
        lambda tx: tx.holds.settle(hold.id, HoldState.ADMITTED, by="grace", reason="looks right", now=LATER)
    )
    assert not await other.write(lambda tx: tx.holds.settle(hold.id, HoldState.REFUSED, by="eve", reason="", now=LATER))
    assert await store.read(lambda tx: tx.holds.of_work(hold.work)) == [settle]
    assert await store.read(lambda tx: tx.holds.open(hold.work)) == []
    assert await store.read(lambda tx: tx.holds.get(HoldId("hld-unknown"))) is None


async def test_a_holder_holds_a_work_once_at_a_time(store: Store, other: Store) -> None:
    hold = await held(store)
    again = replace(hold, id=HoldId("hld-2"))
    with pytest.raises(UniqueViolation):
        await other.write(lambda tx: tx.holds.place(again))
    beside = [
        replace(hold, id=HoldId("hld-3"), holder="another", placed_at=LATER),
        replace(hold, id=HoldId("hld-4"), kind=HoldKind.OPERATOR, placed_at=Millis(LATER + 1)),
    ]

    def place(tx: Tx) -> None:
        for each in beside:
            tx.holds.place(each)

    await store.write(place)
    assert await store.read(lambda tx: tx.holds.open(hold.work)) == [hold, *beside]
    await store.write(lambda tx: tx.holds.settle(hold.id, HoldState.STALE, by="", reason="", now=LATER))
    await other.write(lambda tx: tx.holds.place(again))


async def test_a_decision_is_one_row_however_often_it_arrives(store: Store, other: Store) -> None:
    hold = await held(store)
    decision = make_decision(hold)
    assert await store.write(lambda tx: tx.decisions.add(decision))
    assert not await other.write(lambda tx: tx.decisions.add(replace(decision, verb="refuse", login="eve")))
    assert await store.read(lambda tx: tx.decisions.by_source("comment:1")) == decision
    later = make_decision(hold, source="comment:2", decided_at=LATER)
    assert await store.write(lambda tx: tx.decisions.add(later))
    assert await store.read(lambda tx: tx.decisions.of_hold(hold.id)) == [decision, later]


def make_timer(work: Work, **changes: object) -> Timer:
    timer = Timer(
        id=TimerId(f"tmr-{work.id}"),
        work=work.id,
        kind=TimerKind.RETRY,
        due_at=LATER,
        generation=1,
        cause=EventId("evt-cause"),
    )
    return replace(timer, **changes)  # type: ignore[arg-type] # the test names fields as they are


async def test_a_work_has_one_timer_of_a_kind_the_newest(store: Store, other: Store) -> None:
    work = await ready_work(store)
    old = make_timer(work)
    new = make_timer(work, id=TimerId("tmr-new"), due_at=Millis(LATER + 5), generation=2)
    await store.write(lambda tx: tx.timers.arm(old))
    await other.write(lambda tx: tx.timers.arm(new))
    assert await store.read(lambda tx: tx.timers.of_work(work.id, TimerKind.RETRY)) == new
    assert await store.read(lambda tx: tx.timers.due(Millis(LATER + 9))) == [new]
    assert not await store.write(lambda tx: tx.timers.remove(old.id))
    assert await store.write(lambda tx: tx.timers.remove(new.id))
    assert not await other.write(lambda tx: tx.timers.remove(new.id)), "of two hosts one fires it"


async def test_due_timers_come_the_earliest_first(store: Store) -> None:
    assert await store.read(lambda tx: tx.timers.next_due()) is None
    timers = []
    for number, due in ((1, LATER + 2), (2, LATER), (3, LATER + 1)):
        timer = make_timer(await ready_work(store, number), due_at=Millis(due))
        timers.append(timer)

    def arm(tx: Tx) -> None:
        for timer in timers:
            tx.timers.arm(timer)

    await store.write(arm)
    assert await store.read(lambda tx: tx.timers.next_due()) == LATER
    assert await store.read(lambda tx: tx.timers.due(Millis(LATER + 1))) == [timers[1], timers[2]]
    await store.write(lambda tx: tx.timers.remove_all(timers[1].work))
    assert await store.read(lambda tx: tx.timers.next_due()) == LATER + 1
