"""Attempts, their leases and their slots."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.clock import SECOND, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Outcome, Result
from bot.domain.retry import RetryPolicy
from bot.domain.scope import ROOT, owner_scope, repository_scope
from bot.domain.segment import Invoke, Segment, Segments
from bot.domain.turn import Turn
from bot.errors import StaleEpochError, StorageError
from bot.ids import ExecutionId
from bot.storage.contract import Tx
from bot.storage.sql import UniqueViolation
from tests.clock import START
from tests.factories import LEASE, claim_one, make_binding, ready_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + LEASE)
TURN = Turn(status="review", comment="§ 🙂")


async def live(store: Store, number: int = 1, *, repository: int = 1, **changes: object) -> Execution:
    work = await ready_work(store, number, repository=repository)
    return (await claim_one(store, work.id, now=START, **changes)).execution


async def stored(store: Store, execution: Execution) -> Execution:
    return await store.read(lambda tx: tx.executions.get(execution.id))


def take_over(execution: Execution, owner: str, now: Millis) -> Callable[[Tx], bool]:
    return lambda tx: tx.executions.take_over(execution, owner=owner, lease_until=Millis(now + LEASE), now=now)


async def ended(store: Store, execution: Execution, *, slot: bool = True) -> None:
    over = replace(execution, slot=slot)
    assert await store.write(lambda tx: tx.executions.end(over, Outcome.CANCELLED, "no", START))


async def test_an_attempt_comes_back_as_it_was_written(store: Store) -> None:
    binding = make_binding(
        config={"ü": [1, {"deep": None}]}, retry=RetryPolicy(delays=(1, 2)), playbook={"name": "work-issue"}
    )
    execution = await live(store, binding=binding)
    assert await stored(store, execution) == execution
    segment = Segment(started_at=START, ended_at=LATER, invoke=Invoke.CALLED, isolated=True, recovered=True)
    full = replace(
        execution,
        phase=Phase.PUBLISHING,
        segments=Segments(kept=(segment, Segment(started_at=LATER)), dropped=2, dropped_time=7),
        recovery={"pid": 1, "text": "ü"},
        declared=TURN,
        result=Result(ok=True, summary="s", turn=TURN, units={"usd": 0.1}, session="x"),
        outcome=Outcome.FAILED,
        status="help",
        summary="it broke",
        token=secrets.token_hex(8),
        publish_tries=3,
        next_at=LATER,
        ended_at=LATER,
    )
    await store.write(lambda tx: tx.executions.write(full, START))
    assert await stored(store, full) == full


# C-69, C-70
async def test_lease_renew_survives_clock_step_back(store: Store) -> None:
    execution = await live(store)
    behind = Millis(START - 30 * SECOND)
    kept = await store.write(lambda tx: tx.executions.renew(execution.fence, now=behind, lease=LEASE))
    assert kept == execution.lease_until == (await stored(store, execution)).lease_until
    ahead = Millis(START + SECOND)
    longer = await store.write(lambda tx: tx.executions.renew(execution.fence, now=ahead, lease=LEASE))
    assert longer == START + SECOND + LEASE == (await stored(store, execution)).lease_until


# C-73
async def test_an_attempt_is_written_under_its_epoch_and_its_live_lease_only(store: Store) -> None:
    execution = await live(store)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.write(replace(execution, epoch=2), START))
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.write(execution, LATER))
    await store.write(lambda tx: tx.executions.write(execution, Millis(LATER - 1)))


# C-68
async def test_a_lease_is_renewed_under_its_epoch_and_while_it_lives_only(store: Store) -> None:
    execution = await live(store)
    other = Fence(execution=execution.id, epoch=2)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.renew(other, now=START, lease=LEASE))
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.renew(execution.fence, now=LATER, lease=LEASE))
    assert await stored(store, execution) == execution


# C-19, C-56
async def test_of_two_hosts_one_takes_a_lapsed_attempt_over(store: Store, other: Store) -> None:
    execution = await live(store)
    assert not await store.write(take_over(execution, "host-b", Millis(LATER - 1)))
    assert await store.write(take_over(execution, "host-b", LATER))
    assert not await other.write(take_over(execution, "host-c", LATER))
    taken = await other.read(lambda tx: tx.executions.get(execution.id))
    assert (taken.epoch, taken.owner, taken.lease_until) == (2, "host-b", LATER + LEASE)


async def test_what_has_ended_takes_no_write_any_more(store: Store) -> None:
    execution = await live(store)
    await ended(store, execution)
    before = await stored(store, execution)
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.write(execution, START))
    with pytest.raises(StaleEpochError):
        await store.write(lambda tx: tx.executions.renew(execution.fence, now=START, lease=LEASE))
    assert not await store.write(take_over(execution, "host-b", LATER))
    assert not await store.write(lambda tx: tx.executions.end(execution, Outcome.CANCELLED, "again", LATER))
    await store.write(lambda tx: tx.executions.release(execution.fence, now=START, due=START))
    assert await stored(store, execution) == before


# C-19
async def test_a_work_has_at_most_one_live_attempt(store: Store, other: Store) -> None:
    """Also when whoever inserts it did not look before."""
    execution = await live(store)
    second = replace(execution, id=ExecutionId("exe-second"), number=2)
    with pytest.raises(UniqueViolation):
        await other.write(lambda tx: tx.executions.insert(second))
    await ended(store, execution)
    await other.write(lambda tx: tx.executions.insert(second))
    assert [each.number for each in await store.read(lambda tx: tx.executions.of_work(execution.work))] == [1, 2]
    assert await store.read(lambda tx: tx.executions.live_of(execution.work)) == second


async def test_an_attempt_has_a_number_of_its_own(store: Store) -> None:
    execution = await live(store)
    await ended(store, execution)
    with pytest.raises(UniqueViolation):
        await store.write(lambda tx: tx.executions.insert(replace(execution, id=ExecutionId("exe-second"))))


async def test_an_unknown_attempt_is_an_error(store: Store) -> None:
    with pytest.raises(StorageError, match="exe-unknown"):
        await store.read(lambda tx: tx.executions.get(ExecutionId("exe-unknown")))


async def test_lapsed_attempts_come_in_the_order_in_which_they_lapsed(store: Store) -> None:
    first, second, third = [await live(store, number) for number in (1, 2, 3)]
    await store.write(lambda tx: tx.executions.renew(second.fence, now=START, lease=LEASE + 2))
    await store.write(lambda tx: tx.executions.renew(third.fence, now=START, lease=LEASE + 1))

    async def lapsed(now: int) -> list[ExecutionId]:
        return [each.id for each in await store.read(lambda tx: tx.executions.lapsed(Millis(now)))]

    assert await lapsed(LATER - 1) == []
    assert await lapsed(LATER) == [first.id]
    assert await lapsed(LATER + 2) == [first.id, third.id, second.id]


async def test_a_token_finds_the_attempt_that_it_was_made_for_while_it_lives(store: Store) -> None:
    execution = await live(store)
    token = secrets.token_hex(8)
    await store.write(lambda tx: tx.executions.write(replace(execution, token=token), START))
    found = await store.read(lambda tx: tx.executions.by_token(token))
    assert found is not None
    assert found.id == execution.id
    assert await store.read(lambda tx: tx.executions.by_token("foreign")) is None
    await ended(store, execution)
    assert await store.read(lambda tx: tx.executions.by_token(token)) is None


# C-06, C-75, C-146, C-154
async def test_slots_are_counted_by_pool_and_by_scope_until_they_are_freed(store: Store) -> None:
    one = await live(store, 1)
    await live(store, 2, repository=2, binding=make_binding(pool="jobs"))

    async def taken() -> tuple[list[int], list[int]]:
        def counts(tx: Tx) -> tuple[list[int], list[int]]:
            scopes = (repository_scope(1), repository_scope(2), owner_scope(1), ROOT)
            pools = [tx.executions.slots_of_pool(pool) for pool in ("agents", "jobs")]
            return pools, [tx.executions.slots_of_scope(scope) for scope in scopes]

        return await store.read(counts)

    assert await taken() == ([1, 1], [1, 1, 2, 2])
    await ended(store, one)
    assert await taken() == ([1, 1], [1, 1, 2, 2])
    assert [each.id for each in await store.read(lambda tx: tx.executions.unconfirmed())] == [one.id]
    assert await store.read(lambda tx: tx.executions.stopping(one.work))
    # C-79
    assert not await store.write(lambda tx: tx.executions.free_slot(Fence(execution=one.id, epoch=2)))
    assert await store.write(lambda tx: tx.executions.free_slot(one.fence))
    assert not await store.write(lambda tx: tx.executions.free_slot(one.fence))
    assert await taken() == ([0, 1], [0, 1, 1, 1])
    assert not await store.read(lambda tx: tx.executions.stopping(one.work))


# C-77
async def test_the_slot_of_a_live_attempt_is_not_freed(store: Store) -> None:
    execution = await live(store)
    assert not await store.write(lambda tx: tx.executions.free_slot(execution.fence))


async def test_overdue_attempts_are_those_that_run_still_the_earliest_deadline_first(store: Store) -> None:
    slow, quick = await live(store, 1), await live(store, 2, binding=make_binding(timeout=SECOND))
    published = await live(store, 3, binding=make_binding(timeout=SECOND))
    await store.write(lambda tx: tx.executions.write(replace(published, phase=Phase.PUBLISHING), START))
    over = await live(store, 4, binding=make_binding(timeout=SECOND))
    await ended(store, over)

    async def overdue(now: int) -> list[ExecutionId]:
        return [each.id for each in await store.read(lambda tx: tx.executions.overdue(Millis(now)))]

    assert await overdue(START + SECOND - 1) == []
    assert await overdue(START + SECOND) == [quick.id]
    assert await overdue(slow.deadline) == [quick.id, slow.id]


# C-194
async def test_a_host_that_opens_the_store_anew_sees_everything_that_was_written(store: Store, other: Store) -> None:
    execution = await live(store)
    assert await other.read(lambda tx: tx.executions.get(execution.id)) == execution
    assert await other.read(lambda tx: tx.executions.live()) == [execution]
    now = Millis(LATER - 1)
    renewed = await other.write(lambda tx: tx.executions.renew(execution.fence, now=now, lease=LEASE))
    assert (await stored(store, execution)).lease_until == renewed
