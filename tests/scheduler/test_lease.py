"""Holding a lease while something slow happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.clock import SECOND, Millis
from bot.domain.execution import Fence, Phase
from bot.errors import StaleEpochError, StorageError
from bot.scheduler.cancel import cancel
from bot.scheduler.lease import hold
from tests.factories import LEASE
from tests.scheduler.bench import Bench

TICK = LEASE // 3


class Ticks:
    """Ticks by hand. ``beat`` returns once the renewal that it caused is over."""

    def __init__(self) -> None:
        self._due: asyncio.Queue[None] = asyncio.Queue()
        self._waiting = asyncio.Event()

    def __aiter__(self) -> AsyncIterator[None]:
        return self

    async def __anext__(self) -> None:
        self._waiting.set()
        await self._due.get()

    async def beat(self) -> None:
        await self._waiting.wait()
        self._waiting.clear()
        self._due.put_nowait(None)
        await self._waiting.wait()

    def last(self) -> None:
        """Tick when nothing may come back for another one."""
        self._due.put_nowait(None)


class Launch:
    """Something slow that runs under the lease, up to the write that it ends in."""

    def __init__(self, bench: Bench, fence: Fence) -> None:
        self._bench, self._fence = bench, fence
        self.goes_on = asyncio.Event()
        self.cancelled = False

    async def __call__(self) -> Phase:
        try:
            await self.goes_on.wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise
        await self._bench.persist(self._fence)
        return (await self._bench.confirm(self._fence)).phase


async def renew(bench: Bench, fence: Fence) -> Millis:
    return await bench.do(lambda tx, now: tx.executions.renew(fence, now=now, lease=LEASE))


# C-11, C-12, C-13, C-16
async def test_a_launch_of_three_lease_lengths_keeps_its_lease_while_it_is_held(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    holding = asyncio.create_task(hold(fence, ticks, lambda held: renew(bench, held), launch()))
    for _ in range(9):
        bench.clock.advance(TICK)
        await ticks.beat()
        assert (await bench.execution(fence.execution)).lease_until == bench.clock.now() + LEASE
    launch.goes_on.set()
    assert await holding is Phase.RUNNING


# C-16 (negative control)
async def test_the_same_launch_without_a_holder_loses_its_lease(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch = Launch(bench, fence)
    bench.clock.advance(3 * LEASE)
    launch.goes_on.set()
    with pytest.raises(StaleEpochError):
        await launch()


# C-14
async def test_a_lost_lease_ends_what_runs_under_it_at_once(bench: Bench) -> None:
    claimed = await bench.claimed()
    fence = claimed.execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    holding = asyncio.create_task(hold(fence, ticks, lambda held: renew(bench, held), launch()))
    await ticks.beat()
    await bench.do(lambda tx, now: cancel(tx, claimed.work.id, by="ada", reason="no", now=now))
    assert not holding.done()
    ticks.last()
    with pytest.raises(StaleEpochError):
        await holding
    assert launch.cancelled, "not only at its next write"


# C-15
async def test_of_two_holders_only_the_one_that_took_over_goes_on(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    old, old_ticks = Launch(bench, fence), Ticks()
    first = asyncio.create_task(hold(fence, old_ticks, lambda held: renew(bench, held), old()))
    taken = await bench.recovered(fence.execution)
    new, new_ticks = Launch(bench, taken.execution.fence), Ticks()
    second = asyncio.create_task(hold(taken.execution.fence, new_ticks, lambda held: renew(bench, held), new()))

    old_ticks.last()
    with pytest.raises(StaleEpochError):
        await first
    await new_ticks.beat()
    new.goes_on.set()
    assert await second is Phase.RUNNING
    assert (await bench.execution(fence.execution)).owner == "host-b"


# C-13
async def test_a_renewal_that_fails_for_another_reason_is_tried_again(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    busy = [StorageError("busy"), StorageError("busy"), None]

    async def renewing(held: Fence) -> None:
        if error := busy.pop(0):
            raise error
        await renew(bench, held)

    holding = asyncio.create_task(hold(fence, ticks, renewing, launch()))
    bench.clock.advance(SECOND)
    for _ in range(3):
        await ticks.beat()
    assert (await bench.execution(fence.execution)).lease_until == bench.clock.now() + LEASE
    launch.goes_on.set()
    assert await holding is Phase.RUNNING


# C-13
async def test_the_holder_stops_renewing_when_what_it_holds_is_done(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    launch.goes_on.set()
    assert await hold(fence, ticks, lambda held: renew(bench, held), launch()) is Phase.RUNNING
    bench.clock.advance(TICK)
    ticks.last()
    await asyncio.sleep(0)
    assert (await bench.execution(fence.execution)).lease_until == bench.clock.now() - TICK + LEASE
    assert len(asyncio.all_tasks()) == 1


async def test_what_is_raised_under_the_lease_is_raised_by_the_holder(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence

    async def breaks() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await hold(fence, Ticks(), lambda held: renew(bench, held), breaks())


# C-74
async def test_a_holder_that_is_cancelled_ends_what_it_holds_and_writes_nothing(bench: Bench) -> None:
    execution = await bench.running()
    launch, ticks = Launch(bench, execution.fence), Ticks()
    holding = asyncio.create_task(hold(execution.fence, ticks, lambda held: renew(bench, held), launch()))
    await ticks.beat()
    holding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await holding
    assert launch.cancelled
    assert await bench.execution(execution.id) == execution


# C-68
async def test_a_released_attempt_can_be_taken_over_at_once_and_is_the_same_one(bench: Bench) -> None:
    execution = await bench.running()
    assert await bench.recover(execution.id) is None, "its lease is live"
    await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    taken = await bench.recover(execution.id)
    assert taken is not None
    assert (taken.execution.id, taken.execution.number, taken.execution.epoch) == (execution.id, 1, 2)


# C-68
async def test_a_release_for_later_is_not_offered_for_recovery_before_that(bench: Bench) -> None:
    execution = await bench.running()
    due = Millis(bench.clock.now() + 5 * SECOND)
    await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=due))

    async def offered() -> int:
        now = bench.clock.now()
        return len(await bench.see(lambda tx: tx.executions.lapsed(now)))

    assert await offered() == 0
    bench.clock.advance(5 * SECOND)
    assert await offered() == 1


# C-68
async def test_an_old_lease_can_neither_be_renewed_nor_released(bench: Bench) -> None:
    execution = await bench.running()
    taken = await bench.recovered(execution.id)
    with pytest.raises(StaleEpochError):
        await renew(bench, execution.fence)
    await bench.do(lambda tx, now: tx.executions.release(execution.fence, now=now, due=now))
    assert await bench.execution(execution.id) == taken.execution


# C-69
async def test_a_clock_that_steps_back_never_shortens_a_lease(bench: Bench) -> None:
    execution = await bench.running()
    bench.clock.advance(-30 * SECOND)
    assert await renew(bench, execution.fence) == execution.lease_until
    bench.clock.advance(40 * SECOND)
    assert await renew(bench, execution.fence) == execution.lease_until + 10 * SECOND


# C-68
async def test_the_leases_of_a_host_that_is_gone_are_given_back_together(bench: Bench) -> None:
    mine = await bench.running(1, owner="host-a")
    theirs = await bench.running(2, owner="host-b")
    assert await bench.do(lambda tx, now: tx.executions.release_owner("host-a", now)) == 1
    lapsed = await bench.see(lambda tx: tx.executions.lapsed(bench.clock.now()))
    assert [each.id for each in lapsed] == [mine.id]
    assert await bench.execution(theirs.id) == theirs
