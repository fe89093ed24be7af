"""Rows that nobody can read: they are left alone, they are told of once, and they hide nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import pytest
from structlog.testing import capture_logs

from bot.clock import MINUTE, Millis
from bot.domain.event import Routing
from bot.domain.execution import Execution
from bot.domain.hold import Hold, HoldKind
from bot.domain.result import Ending, Outcome
from bot.domain.timer import Timer, TimerKind
from bot.ids import EventId, HoldId, TimerId, WorkId
from bot.scheduler.finish import conclude
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import TIMEOUT, claim_one, make_event, put_event, ready_work
from tests.storage.backend import Backend
from tests.storage.conformance.conftest import Store
from tests.storage.unreadable import BREAKING, break_row

COUNT = 5
BROKEN = 3
LATE = Millis(START + TIMEOUT + COUNT)


class Identified(Protocol):
    @property
    def id(self) -> str: ...


@pytest.fixture
async def store(backend: Backend, place: str) -> AsyncIterator[Store]:
    opened = await backend.open(place, bind=Tx, more=[BREAKING])
    yield opened
    await opened.close()


async def started(store: Store) -> list[Execution]:
    """Start attempts one after the other."""
    found = []
    for number in range(1, COUNT + 1):
        work = await ready_work(store, number)
        found.append((await claim_one(store, work.id, now=Millis(START + number))).execution)
    return found


async def spoil(store: Store, kind: str, rows: Sequence[Identified]) -> None:
    for row in rows[:BROKEN]:
        await store.write(lambda tx, r=row: break_row(tx, kind, r.id))  # type: ignore[misc] # a default pins the loop's value


LISTS = {
    "lapsed": lambda tx, after: tx.executions.lapsed(LATE, after=after, limit=2),
    "overdue": lambda tx, after: tx.executions.overdue(LATE, after=after, limit=2),
    "launching": lambda tx, after: tx.executions.launching(after=after, limit=2),
    "unconfirmed": lambda tx, after: tx.executions.unconfirmed(after=after, limit=2),
}


async def pages(store: Store, name: str) -> list[list[str]]:
    found: list[list[str]] = []
    after: Execution | None = None
    while page := await store.read(lambda tx: LISTS[name](tx, after)):  # noqa: B023 - read at once
        found.append([each.id for each in page])
        after = page[-1]
    return found


async def prepared(store: Store, name: str) -> list[Execution]:
    executions = await started(store)
    if name == "unconfirmed":
        ending = Ending(outcome=Outcome.HANDOFF)
        for each in executions:
            await store.write(
                lambda tx, e=each: conclude(  # type: ignore[misc] # a default pins the loop's value
                    tx, e, ending, timer=TimerId("tmr"), stopped=False, now=Millis(e.started_at + 1)
                )
            )
    return executions


# gh-Z-06
@pytest.mark.parametrize("name", LISTS)
async def test_attempts_are_listed_page_by_page_in_their_order(store: Store, name: str) -> None:
    ids = [each.id for each in await prepared(store, name)]
    assert await pages(store, name) == [ids[0:2], ids[2:4], ids[4:]]


# gh-Z-01, gh-Z-04, gh-Z-06
@pytest.mark.parametrize("name", LISTS)
async def test_attempts_that_cannot_be_read_hide_no_other_and_are_told_of_once(store: Store, name: str) -> None:
    executions = await prepared(store, name)
    await spoil(store, "execution", executions)
    with capture_logs() as logs:
        assert await pages(store, name) == [[each.id for each in executions[BROKEN:]]]
        assert await pages(store, name) == [[each.id for each in executions[BROKEN:]]]
    told = [entry for entry in logs if entry["event"] == "row_unreadable"]
    assert len(told) <= BROKEN
    assert {entry["kind"] for entry in told} <= {"execution"}


# gh-Z-01, gh-Z-06
async def test_timers_that_cannot_be_read_hide_no_other(store: Store) -> None:
    timers = []
    for each in await started(store):
        timer = Timer(
            id=TimerId(f"tmr-{each.id}"),
            work=each.work,
            kind=TimerKind.RETRY,
            due_at=each.started_at,
            generation=1,
            cause=each.trigger,
        )
        await store.write(lambda tx, t=timer: tx.timers.arm(t))  # type: ignore[misc] # a default pins the loop's value
        timers.append(timer)
    first = await store.read(lambda tx: tx.timers.due(LATE, limit=2))
    assert list(first) == timers[:2]
    assert list(await store.read(lambda tx: tx.timers.due(LATE, after=timers[1], limit=2))) == timers[2:4]
    await spoil(store, "timer", timers)
    assert list(await store.read(lambda tx: tx.timers.due(LATE, limit=2))) == timers[BROKEN:]


# gh-Z-01, gh-Z-06
async def test_events_that_cannot_be_read_hide_no_other(store: Store) -> None:
    events = [
        await store.write(lambda tx, n=number: put_event(tx, f"event-{n}", now=START, routing=Routing.PENDING))  # type: ignore[misc] # a default pins the loop's value
        for number in range(COUNT)
    ]
    await spoil(store, "event", events)
    assert [each.id for each in await store.read(lambda tx: tx.events.pending(limit=2))] == [
        each.id for each in events[BROKEN:]
    ]


# gh-Z-01
async def test_work_that_cannot_be_read_hides_no_other(store: Store) -> None:
    works = [await ready_work(store, number) for number in range(1, COUNT + 1)]
    await spoil(store, "work", works)
    assert [each.id for each in await store.read(lambda tx: tx.works.all_live())] == [
        each.id for each in works[BROKEN:]
    ]
    assert [each.id for each in await store.read(lambda tx: tx.works.ready())] == [each.id for each in works[BROKEN:]]


# gh-Z-26
async def test_a_fact_that_comes_again_with_another_content_changes_nothing(store: Store) -> None:
    """What was accepted first stays: what depends on a fact asks the tracker again, and not another delivery."""
    first = await store.write(lambda tx: put_event(tx, "fact", now=START, data={"body": "/approve"}))

    def again(tx: Tx) -> object:
        other = make_event("fact", id=EventId("evt-other"), data={"body": "/refuse no"})
        return tx.events.accept(other, Millis(START + MINUTE), routing=Routing.PENDING)

    assert await store.write(again) is None
    assert await store.read(lambda tx: tx.events.by_natural_key("fact")) == first
    assert await store.read(lambda tx: tx.events.get(EventId("evt-other"))) is None


# gh-Z-01
async def test_a_work_that_cannot_be_read_is_none_to_who_can_do_without_it(store: Store) -> None:
    broken, sound = [await ready_work(store, number) for number in (1, 2)]
    await store.write(lambda tx: break_row(tx, "work", broken.id))
    assert await store.read(lambda tx: tx.works.legible(broken.id)) is None
    assert await store.read(lambda tx: tx.works.legible(WorkId("wrk-unknown"))) is None
    assert await store.read(lambda tx: tx.works.legible(sound.id)) == sound


# gh-Z-01
async def test_a_hold_that_cannot_be_read_hides_no_other_of_its_kind(store: Store) -> None:
    holds = []
    for number in range(1, COUNT + 1):
        work = await ready_work(store, number)
        hold = Hold(
            id=HoldId(f"hld-{number}"),
            work=work.id,
            kind=HoldKind.BUDGET,
            holder="usd",
            reason="",
            revision="",
            placed_at=START,
        )
        await store.write(lambda tx, h=hold: tx.holds.place(h))  # type: ignore[misc] # a default pins the loop's value
        holds.append(hold)
    await spoil(store, "hold", holds)
    found = await store.read(lambda tx: tx.holds.open_of_kind(HoldKind.BUDGET))
    assert [each.id for each in found] == [each.id for each in holds[BROKEN:]]
