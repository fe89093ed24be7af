"""The passes that take up what was left: each row on its own, however many of them fail, and however many pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

import pytest

from bot.clock import MINUTE, SECOND, Millis
from bot.domain.execution import Binding, Execution, Phase
from bot.domain.result import Outcome
from bot.errors import ExecutorError
from bot.executors.contract import Executor, StopEvidence
from bot.host.drain import Drain
from bot.host.home import Home
from bot.host.postponed import Postponed
from bot.host.recovery import Driving, RecoverPass, StopPass, TimersPass
from bot.host.start import Lease
from bot.ids import ExecutionId
from bot.scheduler.recover import Recovered
from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.factories import LEASE, TIMEOUT
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage import unreadable
from tests.storage.backend import INLINE
from tests.storage.unreadable import BREAKING

MINE = Lease(owner="host-a", length=LEASE)
HOME = Home(owner="host-a", shared=False)
LAUNCH_TIMEOUT = 10 * MINUTE
COUNT = 5
POISON = 3
"""So many rows fail, more than a page holds, and they come before the others."""


@pytest.fixture
async def bench(place: str, clock: FakeClock, ids: Ids) -> AsyncIterator[Bench]:
    store = await INLINE.open(place, bind=Tx, more=[BREAKING])
    yield Bench(store, clock, ids)
    await store.close()


@dataclass(kw_only=True)
class Drives:
    """Attempts of a host that fails to drive some of them."""

    poison: set[ExecutionId] = field(default_factory=set)
    mine: set[ExecutionId] = field(default_factory=set)
    taken: list[ExecutionId] = field(default_factory=list)
    abandoned: list[ExecutionId] = field(default_factory=list)

    def driving(self) -> frozenset[ExecutionId]:
        return frozenset(self.mine)

    def recovered(self, recovered: Recovered) -> None:
        if recovered.execution.id in self.poison:
            raise RuntimeError("poison")
        self.taken.append(recovered.execution.id)

    async def abandon(self, execution: ExecutionId) -> None:
        if execution in self.poison:
            raise RuntimeError("poison")
        self.abandoned.append(execution)


def recover_pass(bench: Bench, attempts: Driving, drain: Drain | None = None) -> RecoverPass:
    return RecoverPass(
        store=bench.store, clock=bench.clock, lease=MINE, home=HOME, attempts=attempts, drain=drain or Drain(), page=2
    )


def timers_pass(bench: Bench, attempts: Driving) -> TimersPass:
    return TimersPass(
        store=bench.store,
        clock=bench.clock,
        lease=MINE,
        attempts=attempts,
        launch_timeout=LAUNCH_TIMEOUT,
        page=2,
    )


async def running(bench: Bench) -> list[Execution]:
    """Start runs one after the other, so that their leases end in this order."""
    started = []
    for number in range(1, COUNT + 1):
        started.append(await bench.running(number))
        bench.clock.advance(1)
    return started


async def break_row(bench: Bench, kind: str, identity: str) -> None:
    await bench.store.write(lambda tx: unreadable.break_row(tx, kind, identity))


# gh-Z-06, ag-G07, ag-G03
async def test_attempts_that_cannot_be_taken_over_hide_none_of_the_others(bench: Bench) -> None:
    started = await running(bench)
    bench.clock.advance(LEASE)
    attempts = Drives(poison={each.id for each in started[:POISON]})
    recovering = recover_pass(bench, attempts)
    await recovering.run()
    assert attempts.taken == [each.id for each in started[POISON:]]


# gh-Z-01, gh-Z-04, gh-Z-06
async def test_attempts_that_cannot_be_read_hide_none_of_the_others_and_are_left_alone(bench: Bench) -> None:
    started = await running(bench)
    for each in started[:POISON]:
        await break_row(bench, "execution", each.id)
    bench.clock.advance(LEASE)
    attempts = Drives()
    await recover_pass(bench, attempts).run()
    assert attempts.taken == [each.id for each in started[POISON:]]
    assert await bench.see(lambda tx: tx.executions.slots_of_pool("agents")) == COUNT, "their slots stay taken"


# gh-Z-06
async def test_attempts_that_are_driven_still_hide_none_of_the_others(bench: Bench) -> None:
    started = await running(bench)
    bench.clock.advance(LEASE)
    attempts = Drives(mine={each.id for each in started[:POISON]})
    await recover_pass(bench, attempts).run()
    assert attempts.taken == [each.id for each in started[POISON:]]
    assert {(await bench.execution(each.id)).epoch for each in started[:POISON]} == {1}


# ag-G07
async def test_one_that_fails_is_tried_again_later_and_longer(bench: Bench) -> None:
    (started, *_) = await running(bench)
    attempts = Drives(poison={started.id})
    stopping = stop_pass(bench, attempts)
    await bench.fail(started.fence, stopped=False)
    tries = []
    for second in range(16):
        before = len(stopping.executors.asked)
        await turned(stopping.stops)
        if len(stopping.executors.asked) > before:
            tries.append(second)
        bench.clock.advance(SECOND)
    assert tries == [0, 1, 3, 7, 15]


# gh-Z-13
async def test_a_host_that_is_to_end_takes_nothing_over(bench: Bench) -> None:
    await running(bench)
    bench.clock.advance(LEASE)
    attempts, drain, stop = Drives(), Drain(), asyncio.Event()
    drain.on(stop)
    stop.set()
    await recover_pass(bench, attempts, drain).run()
    assert attempts.taken == []
    await recover_pass(bench, attempts).run()
    assert len(attempts.taken) == COUNT, "negative control"


# ag-G07, gh-Z-06
async def test_a_timer_that_cannot_be_fired_hides_none_of_the_others(bench: Bench) -> None:
    failed = [await bench.fail(each.fence) for each in await running(bench)]
    timers = [await bench.timer(work.id) for work in failed]
    bench.clock.advance(5 * MINUTE)
    for work in failed[:POISON]:
        await break_row(bench, "work", work.id)
    await timers_pass(bench, Drives()).run()
    left = [await bench.timer(work.id) for work in failed]
    assert left == [*timers[:POISON], None, None]
    assert [len(await bench.pending(work.id)) for work in failed[POISON:]] == [2, 2], "what failed, and the timer"


# ag-G07
async def test_an_attempt_that_cannot_be_timed_out_hides_none_of_the_others(bench: Bench) -> None:
    started = await running(bench)
    bench.clock.advance(TIMEOUT)
    for each in started[:POISON]:
        await break_row(bench, "work", each.work)
    await timers_pass(bench, Drives()).run()
    ended = [(await bench.execution(each.id)).outcome for each in started]
    assert ended == [None] * POISON + [Outcome.FAILED] * 2


@dataclass(kw_only=True)
class Stops:
    """Executors that stop some attempts, and fail for others, or never answer."""

    poison: set[ExecutionId] = field(default_factory=set)
    silent: set[ExecutionId] = field(default_factory=set)
    asked: list[ExecutionId] = field(default_factory=list)

    async def of(self, _binding: Binding) -> Executor:
        return cast("Executor", self)

    async def stop(self, execution: ExecutionId, _epoch: int) -> StopEvidence:
        self.asked.append(execution)
        if execution in self.silent:
            await asyncio.Event().wait()
        if execution in self.poison:
            raise ExecutorError("poison")
        return StopEvidence.STOPPED


@dataclass(kw_only=True)
class Stopping:
    stops: StopPass
    executors: Stops


def stop_pass(bench: Bench, attempts: Drives, *, silent: set[ExecutionId] | None = None) -> Stopping:
    executors = Stops(poison=attempts.poison, silent=silent or set())
    attempts.poison = set()
    stops = StopPass(
        store=bench.store,
        clock=bench.clock,
        executors=executors,
        attempts=attempts,
        home=HOME,
        wake=lambda: None,
        page=2,
        patience=0.01 if silent else 60,
    )
    return Stopping(stops=stops, executors=executors)


async def turned(stops: StopPass) -> None:
    """Run the pass, and wait for what it has begun."""
    await stops.run()
    begun = [task for task in asyncio.all_tasks() if task.get_name().startswith("stop ")]
    await asyncio.gather(*begun)


# gh-Z-06, ag-G07
async def test_a_stop_that_fails_hides_none_of_the_others(bench: Bench) -> None:
    started = await running(bench)
    for each in started:
        await bench.fail(each.fence, stopped=False)
        bench.clock.advance(1)
    await turned(stop_pass(bench, Drives(poison={each.id for each in started[:POISON]})).stops)
    slots = [(await bench.execution(each.id)).slot for each in started]
    assert slots == [True] * POISON + [False] * 2


# gh-Z-24
async def test_a_stop_that_is_never_answered_is_asked_for_again_and_frees_no_slot(bench: Bench) -> None:
    started = (await running(bench))[0]
    await bench.fail(started.fence, stopped=False)
    stopping = stop_pass(bench, Drives(), silent={started.id})
    await turned(stopping.stops)
    assert (await bench.execution(started.id)).slot
    bench.clock.advance(SECOND)
    stopping.executors.silent.clear()
    await turned(stopping.stops)
    assert stopping.executors.asked == [started.id] * 2
    assert not (await bench.execution(started.id)).slot


# gh-Z-14
async def test_a_launch_that_gets_nowhere_fails_and_keeps_its_slot(bench: Bench) -> None:
    claimed = await bench.claimed()
    attempts = Drives()
    renew = renewing(bench, claimed.execution)
    bench.clock.advance(LAUNCH_TIMEOUT - 1)
    await renew()
    timers = timers_pass(bench, attempts)
    await timers.run()
    assert (await bench.execution(claimed.execution.id)).phase is Phase.LAUNCHING, "negative control"
    bench.clock.advance(1)
    await timers.run()
    ended = await bench.execution(claimed.execution.id)
    assert (ended.phase, ended.outcome, ended.slot) == (Phase.FINISHED, Outcome.FAILED, True)
    assert ended.summary == "the launch made no progress for 10 min"
    assert attempts.abandoned == [ended.id]
    assert (await bench.work(ended.work)).failures == 1


# gh-Z-14, C-90
async def test_a_launch_that_another_host_holds_is_that_hosts_to_end(bench: Bench) -> None:
    claimed = await bench.claimed(owner="host-b")
    renew = renewing(bench, claimed.execution)
    bench.clock.advance(LAUNCH_TIMEOUT)
    await renew()
    await timers_pass(bench, Drives()).run()
    assert (await bench.execution(claimed.execution.id)).outcome is None


# gh-Z-14, C-62
async def test_a_launch_that_nobody_holds_is_left_to_recovery(bench: Bench) -> None:
    """That it stood still was its host's fault."""
    claimed = await bench.claimed()
    bench.clock.advance(LAUNCH_TIMEOUT)
    await timers_pass(bench, Drives()).run()
    assert (await bench.execution(claimed.execution.id)).outcome is None
    attempts = Drives()
    await recover_pass(bench, attempts).run()
    assert attempts.taken == [claimed.execution.id]


def renewing(bench: Bench, execution: Execution) -> Callable[[], Awaitable[Millis]]:
    """Hold the lease of an attempt from now on, also over a jump of the clock."""
    asked = bench.clock.now()

    async def renew() -> Millis:
        length = bench.clock.now() - asked + LEASE
        return await bench.store.write(lambda tx: tx.executions.renew(execution.fence, now=asked, lease=length))

    return renew


# ag-G07
async def test_a_clock_that_is_set_back_puts_nothing_off_for_longer(clock: FakeClock) -> None:
    postponed = Postponed[str](clock=clock)
    postponed.failed("row")
    assert postponed.waits("row")
    clock.advance(-MINUTE)
    assert not postponed.waits("row")
