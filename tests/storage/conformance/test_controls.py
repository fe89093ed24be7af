"""Intents: one for an attempt, a kind and an event; open until they are settled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.domain.control import Control, ControlKind, ControlState
from bot.domain.execution import Execution
from bot.errors import StorageError
from bot.ids import ControlId
from tests.clock import START
from tests.factories import claim_one, ready_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + 1)
SENDER = "one"


def make_control(execution: Execution, seq: int = 1, **changes: object) -> Control:
    control = Control(
        id=ControlId(f"inject/{execution.id}/{seq}"),
        work=execution.work,
        execution=execution.id,
        epoch=execution.epoch,
        kind=ControlKind.INJECT,
        seq=seq,
        next_at=START,
        created_at=START,
    )
    return replace(control, **changes)  # type: ignore[arg-type] # the test names fields as they are


async def running(store: Store, number: int = 1) -> Execution:
    work = await ready_work(store, number)
    return (await claim_one(store, work.id, now=START)).execution


async def test_an_intent_comes_back_as_it_was_stored_and_written(store: Store, other: Store) -> None:
    control = make_control(await running(store))
    assert await store.write(lambda tx: tx.controls.add(control))
    assert await other.read(lambda tx: tx.controls.get(control.id)) == control
    sent = replace(
        control,
        state=ControlState.DISPATCHED,
        token=SENDER,
        lease_until=LATER,
        tries=1,
        next_at=LATER,
        note="§",
        settled_at=LATER,
    )
    await other.write(lambda tx: tx.controls.write(sent))
    assert await store.read(lambda tx: tx.controls.get(control.id)) == sent
    assert await store.read(lambda tx: tx.controls.of_execution(control.execution)) == [sent]
    with pytest.raises(StorageError):
        await store.read(lambda tx: tx.controls.get(ControlId("unknown")))


@pytest.mark.parametrize("state", ControlState)
async def test_every_state_can_be_stored(store: Store, state: ControlState) -> None:
    control = make_control(await running(store), state=state)
    await store.write(lambda tx: tx.controls.add(control))
    assert (await store.read(lambda tx: tx.controls.get(control.id))).state is state


async def test_an_attempt_has_one_intent_of_a_kind_for_an_event(store: Store, other: Store) -> None:
    execution = await running(store)
    control = make_control(execution)
    again = replace(control, id=ControlId("another"))
    stops = replace(control, id=ControlId("stops"), kind=ControlKind.INTERRUPT)
    later = make_control(execution, 2)
    assert await store.write(lambda tx: tx.controls.add(control))
    assert not await other.write(lambda tx: tx.controls.add(control))
    assert not await other.write(lambda tx: tx.controls.add(again))
    assert await other.write(lambda tx: tx.controls.add(later))
    assert await other.write(lambda tx: tx.controls.add(stops))
    found = await store.read(lambda tx: tx.controls.of_execution(execution.id))
    assert found == [control, stops, later]


async def test_what_is_due_comes_page_by_page_and_the_earliest_first(store: Store) -> None:
    execution = await running(store)
    due = [make_control(execution, seq, next_at=Millis(START + 9 - seq)) for seq in range(1, 6)]
    hidden = [
        make_control(execution, 11, next_at=Millis(START + 10)),
        make_control(execution, 12, state=ControlState.DISPATCHED, lease_until=Millis(START + 10)),
        make_control(execution, 13, state=ControlState.ACCEPTED, settled_at=START),
    ]

    async def page(after: Control | None) -> list[Control]:
        return list(await store.read(lambda tx: tx.controls.due(Millis(START + 9), after=after, limit=2)))

    for control in (*due, *hidden):
        await store.write(lambda tx, c=control: tx.controls.add(c))  # type: ignore[misc]
    found: list[Control] = []
    while more := await page(found[-1] if found else None):
        assert len(more) <= 2
        found += more
    assert found == due[::-1]
    lapsed = await store.read(lambda tx: tx.controls.due(Millis(START + 10)))
    assert {each.seq for each in lapsed} == {1, 2, 3, 4, 5, 11, 12}


async def test_intents_with_the_same_moment_are_all_found(store: Store) -> None:
    execution = await running(store)
    for seq in range(1, 4):
        await store.write(lambda tx, s=seq: tx.controls.add(make_control(execution, s)))  # type: ignore[misc]
    first = await store.read(lambda tx: tx.controls.due(START, limit=2))
    rest = await store.read(lambda tx: tx.controls.due(START, after=first[-1], limit=2))
    assert [each.seq for each in (*first, *rest)] == [1, 2, 3]


async def test_the_open_intents_of_a_work_are_abandoned_and_no_others(store: Store) -> None:
    execution, elsewhere = await running(store), await running(store, 2)
    kept = [
        make_control(execution, 1, state=ControlState.CONSUMED, settled_at=START),
        make_control(elsewhere, 2),
    ]
    opened = [
        make_control(execution, 3),
        make_control(execution, 4, state=ControlState.DISPATCHED, token=SENDER, lease_until=LATER),
    ]
    for control in (*kept, *opened):
        await store.write(lambda tx, c=control: tx.controls.add(c))  # type: ignore[misc]
    assert await store.write(lambda tx: tx.controls.abandon(execution.work, LATER)) == 2
    assert [await store.read(lambda tx, c=each: tx.controls.get(c.id)) for each in kept] == kept  # type: ignore[misc]
    stale = [replace(each, state=ControlState.STALE, token="", settled_at=LATER) for each in opened]
    assert [await store.read(lambda tx, c=each: tx.controls.get(c.id)) for each in opened] == stale  # type: ignore[misc]
