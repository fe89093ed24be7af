"""Attempts that are parked, and claimed again from where they stopped."""

from __future__ import annotations

import secrets
from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.domain.execution import Execution, Phase
from bot.domain.kind import Capability
from bot.domain.result import Outcome
from bot.domain.segment import Segment
from bot.domain.turn import Turn
from bot.errors import StaleEpochError
from bot.ids import EventId
from bot.storage.contract import Tx
from bot.storage.works import Input
from tests.clock import START
from tests.factories import LEASE, claim_one, make_binding, put_event, ready_work
from tests.storage.conformance.conftest import Store

SOON, LATER = Millis(START + 1_000), Millis(START + 10 * LEASE)


async def running(store: Store, number: int = 1) -> Execution:
    """Return an attempt that runs, with everything that its launch stored."""
    work = await ready_work(store, number)
    binding = make_binding(capabilities=frozenset({Capability.RESUME}))
    execution = (await claim_one(store, work.id, now=START, binding=binding)).execution
    full = replace(
        execution,
        phase=Phase.RUNNING,
        recovery={"pid": 1},
        declared=Turn(status="help"),
        token=secrets.token_hex(8),
        next_at=LATER,
    )
    await store.write(lambda tx: tx.executions.write(full, START))
    return full


def stopped(execution: Execution) -> Execution:
    """Return what is to be written of an attempt that has stopped inside its turn."""
    segments = execution.segments.end(SOON)
    return replace(execution, segments=segments, remaining=7, suspended={"id": "ü"}, staged={"usd": 0.5})


async def parked(store: Store, number: int = 1) -> Execution:
    execution = await running(store, number)
    await store.write(lambda tx: tx.executions.park(stopped(execution), SOON))
    return await stored(store, execution)


async def stored(store: Store, execution: Execution) -> Execution:
    return await store.read(lambda tx: tx.executions.get(execution.id))


async def resume(store: Store, execution: Execution, owner: str = "host-b") -> None:
    again = replace(execution, segments=execution.segments.begin(segment()), deadline=Millis(LATER + 7))
    await store.write(lambda tx: tx.executions.resume(again, owner=owner, lease_until=Millis(LATER + LEASE)))


def segment() -> Segment:
    return Segment(started_at=LATER, wake=EventId("evt-wake"))


# C-37
async def test_a_parked_attempt_keeps_where_it_stopped_and_nothing_of_its_launch(store: Store) -> None:
    execution = await running(store)
    await store.write(lambda tx: tx.executions.park(stopped(execution), SOON))
    assert await stored(store, execution) == replace(
        stopped(execution),
        phase=Phase.PARKED,
        slot=False,
        lease_until=Millis(0),
        next_at=Millis(0),
        token="",
        recovery=None,
        declared=None,
    )


# C-73
@pytest.mark.parametrize("now", [LATER, SOON])
async def test_only_the_holder_parks_an_attempt(store: Store, now: Millis) -> None:
    execution = await running(store)
    stranger = stopped(execution) if now == LATER else replace(stopped(execution), epoch=execution.epoch + 1)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.park(stranger, now))
    assert await stored(store, execution) == execution


# ag-L03
async def test_a_parked_attempt_is_in_no_list_of_what_is_held_or_due(store: Store) -> None:
    execution = await parked(store)
    late = Millis(START + 1_000 * LEASE)

    def lists(tx: Tx) -> tuple[object, ...]:
        of = tx.executions
        return (
            list(of.lapsed(late)),
            list(of.overdue(late)),
            list(of.unconfirmed()),
            of.stopping(execution.work),
            of.slots_of_pool("agents"),
            of.slots_of_scope(execution.scope),
        )

    assert await store.read(lists) == ([], [], [], False, 0, 0)
    assert await store.read(lambda tx: tx.executions.live_of(execution.work)) == execution
    assert await store.write(lambda tx: tx.executions.release_owner(execution.owner, late)) == 0


# C-73, C-69
async def test_nobody_writes_to_a_parked_attempt(store: Store) -> None:
    execution = await parked(store)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.write(replace(execution, phase=Phase.RUNNING), SOON))
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.renew(execution.fence, now=SOON, lease=LEASE))
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.park(execution, SOON))
    await store.write(lambda tx: tx.executions.release(execution.fence, now=SOON, due=LATER))
    assert not await store.write(
        lambda tx: tx.executions.take_over(execution, owner="host-b", lease_until=LATER, now=LATER)
    )
    assert await stored(store, execution) == execution


# C-36, C-56
async def test_a_parked_attempt_is_claimed_at_the_next_epoch(store: Store) -> None:
    execution = await parked(store)
    await resume(store, execution)
    assert await stored(store, execution) == replace(
        execution,
        phase=Phase.LAUNCHING,
        slot=True,
        epoch=2,
        owner="host-b",
        lease_until=Millis(LATER + LEASE),
        deadline=Millis(LATER + 7),
        segments=execution.segments.begin(segment()),
        remaining=None,
    )


# C-18
async def test_of_two_hosts_one_resumes_a_parked_attempt(store: Store, other: Store) -> None:
    execution = await parked(store)
    await resume(store, execution)
    with pytest.raises(StaleEpochError):
        await resume(other, execution, owner="host-c")
    assert (await stored(store, execution)).owner == "host-b"


async def test_an_attempt_that_is_not_parked_is_not_resumed(store: Store) -> None:
    execution = await running(store)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.resume(execution, owner="host-b", lease_until=LATER))


# C-141
async def test_a_parked_attempt_is_ended_with_its_work(store: Store) -> None:
    execution = await parked(store)
    assert await store.write(lambda tx: tx.executions.end(execution, Outcome.CANCELLED, "no", LATER))
    ended = await stored(store, execution)
    assert (ended.phase, ended.slot, ended.ended_at) == (Phase.FINISHED, False, LATER)
    assert ended.segments == execution.segments, "the last segment ended when it was parked"


async def test_what_an_attempt_was_started_and_resumed_with_is_told_apart(store: Store) -> None:
    """Also from what it took in while it ran, and from what another attempt had taken in before."""
    execution = await parked(store)

    def entry(tx: Tx, natural_key: str) -> Input:
        tx.inputs.add(execution.work, put_event(tx, natural_key, now=START), kind="comment")
        return tx.inputs.pending(execution.work)[-1]

    def presented(tx: Tx) -> list[str]:
        return [each.event for each in tx.inputs.presented(execution.work, execution.id)]

    first = await store.read(presented)
    assert first == [f"evt-label/{execution.work}"]
    await store.write(lambda tx: tx.inputs.consume(entry(tx, "meanwhile"), execution.id))
    assert await store.read(presented) == first
    await store.write(lambda tx: tx.inputs.consume(entry(tx, "wake"), execution.id, epoch=2))
    assert await store.read(presented) == ["evt-wake"]
    taken = await store.read(lambda tx: tx.inputs.of_execution(execution.work, execution.id))
    assert [each.event for each in taken] == [*first, "evt-meanwhile", "evt-wake"]
