"""Holding a lease while something slow happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.clock import SECOND, Millis
from bot.domain.execution import Fence, Phase
from bot.errors import StaleEpochError, StorageError
from bot.scheduler.cancel import cancel
from bot.scheduler.lease import MARGIN, Keep, Renew, hold
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

    async def idle(self) -> None:
        """Wait until what the last tick caused is over."""
        self._waiting.clear()
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


def keep(bench: Bench, ticks: Ticks, renewing: Renew | None = None, *, watch: Ticks | None = None) -> Keep:
    """Keep a lease that was claimed just now."""
    return Keep(
        ticks=ticks,
        watch=watch or Ticks(),
        renew=renewing or (lambda fence: renew(bench, fence)),
        now=bench.clock.now,
        length=LEASE,
        until=Millis(bench.clock.now() + LEASE),
    )


# C-11, C-12, C-13, C-16, gh-Z-16
async def test_a_launch_of_three_lease_lengths_keeps_its_lease_while_it_is_held(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    holding = asyncio.create_task(hold(fence, keep(bench, ticks), launch()))
    for _ in range(9):
        bench.clock.advance(TICK)
        await ticks.beat()
        assert (await bench.execution(fence.execution)).lease_until == bench.clock.now() + LEASE
    launch.goes_on.set()
    assert await holding is Phase.RUNNING


# C-16, C-196 (negative control)
async def test_the_same_launch_without_a_holder_loses_its_lease(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch = Launch(bench, fence)
    bench.clock.advance(3 * LEASE)
    launch.goes_on.set()
    with pytest.raises(StaleEpochError):
        await launch()


# C-14, gh-Z-25
async def test_a_lost_lease_ends_what_runs_under_it_at_once(bench: Bench) -> None:
    claimed = await bench.claimed()
    fence = claimed.execution.fence
    launch, ticks = Launch(bench, fence), Ticks()
    holding = asyncio.create_task(hold(fence, keep(bench, ticks), launch()))
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
    first = asyncio.create_task(hold(fence, keep(bench, old_ticks), old()))
    taken = await bench.recovered(fence.execution)
    new, new_ticks = Launch(bench, taken.execution.fence), Ticks()
    second = asyncio.create_task(hold(taken.execution.fence, keep(bench, new_ticks), new()))

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

    holding = asyncio.create_task(hold(fence, keep(bench, ticks, renewing), launch()))
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
    assert await hold(fence, keep(bench, ticks), launch()) is Phase.RUNNING
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
        await hold(fence, keep(bench, Ticks()), breaks())


# C-74
async def test_a_holder_that_is_cancelled_ends_what_it_holds_and_writes_nothing(bench: Bench) -> None:
    execution = await bench.running()
    launch, ticks = Launch(bench, execution.fence), Ticks()
    holding = asyncio.create_task(hold(execution.fence, keep(bench, ticks), launch()))
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


TRUSTED = LEASE - LEASE // MARGIN


async def never(_: Fence) -> None:
    """Renew by a request that is never answered."""
    await asyncio.Event().wait()


async def fails(_: Fence) -> None:
    raise StorageError("busy")


# gh-Z-21, gh-Z-22
@pytest.mark.parametrize("renewing", [never, fails], ids=["renewals hang", "renewals fail"])
async def test_what_runs_ends_before_its_lease_does_when_nobody_renews_it(bench: Bench, renewing: Renew) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks, watch = Launch(bench, fence), Ticks(), Ticks()
    holding = asyncio.create_task(hold(fence, keep(bench, ticks, renewing, watch=watch), launch()))
    ticks.last()
    bench.clock.advance(TRUSTED - 1)
    await watch.beat()
    assert not holding.done(), "negative control: it is trusted until then"
    bench.clock.advance(1)
    watch.last()
    with pytest.raises(StaleEpochError):
        await holding
    assert launch.cancelled
    assert (await bench.execution(fence.execution)).lease_until > bench.clock.now(), "nobody can have taken it over"
    assert len(asyncio.all_tasks()) == 1


class Slow:
    """Renewals that are carried out at once, and answered when the test says so."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    async def __call__(self, fence: Fence) -> None:
        await renew(self._bench, fence)
        self.asked.set()
        await self.answers.wait()
        self.answers.clear()


# gh-Z-22
async def test_a_lease_is_trusted_from_before_its_renewal_was_asked_for(bench: Bench) -> None:
    """A slow answer must not stretch it: the database counts from the request."""
    fence = (await bench.claimed()).execution.fence
    launch, ticks, watch, slow = Launch(bench, fence), Ticks(), Ticks(), Slow(bench)
    holding = asyncio.create_task(hold(fence, keep(bench, ticks, slow, watch=watch), launch()))
    bench.clock.advance(TICK)
    ticks.last()
    await slow.asked.wait()
    bench.clock.advance(TRUSTED - TICK - 1)
    slow.answers.set()
    await ticks.idle()
    bench.clock.advance(TICK)
    await watch.beat()
    assert not holding.done(), "negative control: the answer came in time, and renewed it"
    bench.clock.advance(1)
    watch.last()
    with pytest.raises(StaleEpochError):
        await holding
    assert launch.cancelled


# gh-Z-22
async def test_a_renewal_that_is_answered_too_late_is_not_believed(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, ticks, slow = Launch(bench, fence), Ticks(), Slow(bench)
    holding = asyncio.create_task(hold(fence, keep(bench, ticks, slow), launch()))
    bench.clock.advance(TICK)
    ticks.last()
    await slow.asked.wait()
    bench.clock.advance(TRUSTED - TICK)
    slow.answers.set()
    with pytest.raises(StaleEpochError):
        await holding
    assert launch.cancelled


# gh-Z-22
async def test_a_claim_that_is_answered_too_late_starts_nothing(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    kept = keep(bench, Ticks())
    launch = Launch(bench, fence)
    launch.goes_on.set()
    bench.clock.advance(TRUSTED)
    with pytest.raises(StaleEpochError):
        await hold(fence, kept, launch())
    assert (await bench.execution(fence.execution)).phase is Phase.LAUNCHING, "it is launched again by recovery"


# gh-Z-22
async def test_a_clock_that_is_set_back_lends_a_holder_no_time(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    launch, watch = Launch(bench, fence), Ticks()
    holding = asyncio.create_task(hold(fence, keep(bench, Ticks(), watch=watch), launch()))
    bench.clock.advance(40 * SECOND)
    await watch.beat()
    bench.clock.advance(-30 * SECOND)
    await watch.beat()
    assert not holding.done()
    bench.clock.advance(TRUSTED - 40 * SECOND)
    watch.last()
    with pytest.raises(StaleEpochError):
        await holding
