"""What is said to a run reaches it through the host that observes it, and a stop asks before it kills."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
import structlog

from bot.clock import SECOND, Millis
from bot.domain.control import Control, ControlState
from bot.domain.execution import Execution
from bot.domain.kind import Capability
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.errors import ExecutorError, NotAcceptingError
from bot.executors.registry import Generation, Registry
from bot.host import dispatching
from bot.host.attempts import Attempts
from bot.host.dispatching import DispatchPass
from bot.host.executors import ExecutorsOf
from bot.host.home import Home
from bot.host.launching import Launching
from bot.host.recovery import StopPass
from bot.playbook.outcome import Decision
from bot.scheduler.controls import LEASE as DISPATCH
from bot.scheduler.controls import TRIES
from bot.scheduler.interrupt import PATIENCE, Interrupted, interrupt
from bot.scheduler.recover import recover
from bot.storage.contract import Tx
from tests import factories
from tests.clock import FakeClock
from tests.host.rig import GENERATION, OnePlace, PlainOrders, binding, no_rebuild
from tests.host.talking import SilentExecutor, Talk, TalkingExecutor
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage.backend import INLINE
from tests.storage.unreadable import BREAKING, break_row

CANARY = "sk-canary: the model answered strangely"


class Nothing:
    """A publisher for playbooks that publish nothing."""

    async def publish(self, work: Work, execution: Execution, decision: Decision) -> str:
        raise AssertionError(work, execution, decision)


async def never(_milliseconds: float = 0) -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


@dataclass(kw_only=True)
class Place:
    """A host whose runs can be talked to. ``turn`` waits for what a pass has begun."""

    bench: Bench
    executor: TalkingExecutor = field(default_factory=TalkingExecutor)
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        bench = self.bench
        self.executors = ExecutorsOf(
            registry=Registry(Generation(GENERATION, [self.executor])), store=bench.store, rebuild=no_rebuild
        )
        launching = Launching(write=bench.do, executors=self.executors, orders=PlainOrders(), places=OnePlace())
        self.attempts = Attempts(
            store=bench.store,
            clock=bench.clock,
            launching=launching,
            publisher=Nothing(),
            lease_length=factories.LEASE,
            ticks=never,
            watch=never,
            wake=self.woken.set,
        )
        self.dispatch = DispatchPass(
            store=bench.store,
            clock=bench.clock,
            executors=self.executors,
            handles=self.attempts.handles,
            owner="host-a",
            wake=self.woken.set,
            page=2,
        )
        self.stop = StopPass(
            store=bench.store,
            clock=bench.clock,
            executors=self.executors,
            attempts=self.attempts,
            home=Home(owner="host-a", shared=False),
            wake=self.woken.set,
        )

    async def running(self, number: int = 1) -> Execution:
        """Start a run, and wait until it is observed."""
        pinned = binding(executor="agent", capabilities=self.executor.capabilities)
        claimed = await self.bench.claimed(number, binding=pinned)
        self.woken.clear()
        self.attempts.claimed(claimed)
        await self.news()
        return await self.bench.execution(claimed.execution.id)

    async def news(self) -> None:
        async with asyncio.timeout(10):
            await self.woken.wait()
        self.woken.clear()

    async def turn(self) -> None:
        """Send what is due, and wait for the answers."""
        self.woken.clear()
        await self.dispatch.run()
        while await self.sending():
            await self.news()

    async def sending(self) -> int:
        """Return how many controls are being sent."""
        found = [await self.bench.see(lambda tx, e=each: tx.controls.of_execution(e)) for each in self.executor.runs]  # type: ignore[misc]
        return sum(control.state is ControlState.DISPATCHED for controls in found for control in controls)

    async def ended(self, execution: Execution) -> Execution:
        """Wait until an attempt has ended and nothing of it is driven."""
        while execution.id in self.attempts.driving():
            await self.news()
        return await self.bench.execution(execution.id)

    async def stops(self, execution: Execution) -> None:
        """Stop what is to be stopped, and wait until an attempt is known to have been."""
        self.woken.clear()
        await self.stop.run()
        while (await self.bench.execution(execution.id)).slot:
            await self.news()

    def run(self, execution: Execution) -> Talk:
        return self.executor.runs[execution.id]

    async def controls(self, execution: Execution) -> list[Control]:
        return list(await self.bench.see(lambda tx: tx.controls.of_execution(execution.id)))

    async def states(self, execution: Execution) -> list[ControlState]:
        return [control.state for control in await self.controls(execution)]

    async def interrupted(self, execution: Execution) -> None:
        def change(tx: Tx, now: Millis) -> Interrupted | None:
            return interrupt(tx, execution.work, by="ada", reason="no", seq=1, now=now)

        assert await self.bench.do(change) is not None

    async def close(self) -> None:
        await self.dispatch.close()
        await self.attempts.close()
        await self.stop.close()


@pytest.fixture
async def bench(place: str, clock: FakeClock, ids: Ids) -> AsyncIterator[Bench]:
    store = await INLINE.open(place, bind=Tx, more=[BREAKING])
    yield Bench(store, clock, ids)
    await store.close()


@pytest.fixture
async def host(bench: Bench) -> AsyncIterator[Place]:
    opened = Place(bench=bench)
    yield opened
    await opened.close()


# C-130, C-133
async def test_a_comment_reaches_the_run_and_is_consumed_by_its_result(host: Place) -> None:
    execution = await host.running()
    await host.bench.comment(execution.work)
    await host.turn()
    run = host.run(execution)
    assert [message.body for message in run.heard.values()] == ["hm"]
    assert await host.states(execution) == [ControlState.ACCEPTED]
    assert await host.bench.kinds(execution.work) == ["comment"]
    await host.turn()
    assert len(run.said) == 1, "it is sent once"
    run.end()
    await host.ended(execution)
    assert await host.states(execution) == [ControlState.CONSUMED]
    assert await host.bench.pending(execution.work) == []


# C-85
async def test_a_run_that_does_not_take_up_what_it_accepted_leaves_it_to_the_next_attempt(host: Place) -> None:
    execution = await host.running()
    await host.bench.comment(execution.work)
    await host.turn()
    host.run(execution).ended.set()
    await host.ended(execution)
    assert await host.bench.kinds(execution.work) == ["comment"]


# C-132
async def test_an_executor_that_takes_nothing_is_offered_nothing(bench: Bench) -> None:
    """The negative control: without the capability the same comment makes no intent."""
    host = Place(bench=bench, executor=TalkingExecutor(capabilities=frozenset({Capability.INTERRUPT})))
    execution = await host.running()
    await bench.comment(execution.work)
    await host.turn()
    assert await host.controls(execution) == []
    assert host.run(execution).said == []
    await host.close()


# C-134
async def test_what_may_have_arrived_is_sent_again_and_heard_once(host: Place) -> None:
    execution = await host.running()
    run = host.run(execution)
    run.faults = [ExecutorError("the pipe broke", code="unreachable"), ConnectionError(CANARY)]
    await host.bench.comment(execution.work)
    for expected in (ControlState.PENDING, ControlState.PENDING, ControlState.ACCEPTED):
        await host.turn()
        assert await host.states(execution) == [expected]
        host.bench.clock.advance(5 * SECOND)
    assert len(set(run.said)) == 1
    assert len(run.said) == 3
    assert len(run.heard) == 1


# C-134
async def test_what_a_host_was_sending_when_it_ended_is_sent_by_the_next(host: Place) -> None:
    execution = await host.running()
    run = host.run(execution)
    run.deaf = True
    await host.bench.comment(execution.work)
    await host.dispatch.run()
    await host.dispatch.close()
    assert await host.states(execution) == [ControlState.DISPATCHED]
    run.deaf = False
    host.bench.clock.advance(DISPATCH)
    await host.turn()
    assert await host.states(execution) == [ControlState.ACCEPTED]
    assert len(set(run.said)) == 1


# C-135
async def test_what_executors_say_is_neither_stored_nor_logged(host: Place) -> None:
    execution = await host.running()
    await host.bench.comment(execution.work)
    with structlog.testing.capture_logs() as logged:
        for _ in range(TRIES):
            host.run(execution).faults = [RuntimeError(CANARY)]
            await host.turn()
            host.bench.clock.advance(9 * SECOND)
    (control,) = await host.controls(execution)
    assert (control.state, control.note) == (ControlState.QUEUED, "error")
    assert CANARY not in str(logged)
    assert [each["error"] for each in logged if each["event"] == "control_failed"] == ["RuntimeError"] * TRIES


# C-137
async def test_a_run_that_takes_nothing_now_is_left_alone(host: Place) -> None:
    execution = await host.running()
    host.run(execution).faults = [NotAcceptingError()]
    await host.bench.comment(execution.work)
    await host.turn()
    assert await host.states(execution) == [ControlState.NOT_ACCEPTING]
    host.bench.clock.advance(DISPATCH)
    await host.turn()
    assert len(host.run(execution).said) == 1
    assert await host.bench.kinds(execution.work) == ["comment"]


# C-138
async def test_what_is_said_before_the_run_is_there_reaches_it_when_it_is(host: Place) -> None:
    pinned = binding(executor="agent", capabilities=host.executor.capabilities)
    claimed = await host.bench.claimed(binding=pinned)
    await host.bench.comment(claimed.work.id)
    await host.turn()
    assert await host.states(claimed.execution) == [ControlState.PENDING]
    host.attempts.claimed(claimed)
    await host.news()
    await host.turn()
    assert await host.states(claimed.execution) == [ControlState.ACCEPTED]


# C-136
async def test_an_adopted_run_is_not_sent_what_was_for_its_earlier_epoch(host: Place) -> None:
    execution = await host.running()
    await host.bench.comment(execution.work, "before")
    await host.attempts.close()
    seen = await host.bench.execution(execution.id)
    taken = await host.bench.do(
        lambda tx, now: recover(tx, seen, owner="host-a", lease=factories.LEASE, now=Millis(now))
    )
    assert taken is not None
    host.woken.clear()
    host.attempts.recovered(taken)
    await host.news()
    await host.bench.comment(execution.work, "after")
    await host.turn()
    await host.turn()
    assert await host.states(execution) == [ControlState.STALE, ControlState.ACCEPTED]
    assert [message.event for message in host.run(execution).heard.values()] == ["evt-after"]


async def test_one_run_that_does_not_answer_and_one_row_that_cannot_be_used_stop_no_other(host: Place) -> None:
    runs = [await host.running(number) for number in range(1, 6)]
    host.run(runs[0]).deaf = True
    for execution in runs:
        await host.bench.comment(execution.work, f"to {execution.work}")
    await host.bench.store.write(lambda tx: break_row(tx, "execution", runs[1].id))
    await host.dispatch.run()
    while await host.sending() > 1:
        await host.news()
    states = [(await host.states(execution))[0] for execution in runs]
    assert states == [ControlState.DISPATCHED, ControlState.PENDING, *[ControlState.ACCEPTED] * 3]


async def test_a_control_that_cannot_be_read_hides_no_other_and_keeps_no_run_from_being_stopped(host: Place) -> None:
    runs = [await host.running(number) for number in range(1, 4)]
    for execution in runs:
        await host.bench.comment(execution.work, f"to {execution.work}")
    for execution in runs[:2]:
        (control,) = await host.controls(execution)
        await host.bench.store.write(lambda tx, c=control: break_row(tx, "control", c.id))  # type: ignore[misc]
    await host.turn()
    assert await host.states(runs[2]) == [ControlState.ACCEPTED]
    await host.interrupted(runs[0])
    host.bench.clock.advance(PATIENCE)
    await host.stops(runs[0])


async def test_a_run_that_never_answers_is_waited_for_no_longer_than_its_dispatch_is_trusted(
    host: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dispatching.DEADLINE < DISPATCH
    monkeypatch.setattr(dispatching, "DEADLINE", 1)
    execution = await host.running()
    host.run(execution).deaf = True
    await host.bench.comment(execution.work)
    await host.turn()
    (control,) = await host.controls(execution)
    assert (control.state, control.note) == (ControlState.PENDING, "timeout")


# C-140, C-142, C-76
async def test_a_run_is_fenced_then_asked_then_stopped(host: Place) -> None:
    execution = await host.running()
    await host.interrupted(execution)
    await host.stop.run()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == f"stop {execution.id}"], "it is asked first"
    await host.turn()
    assert await host.states(execution) == [ControlState.ACCEPTED]
    assert (await host.bench.execution(execution.id)).slot, "what it says is no evidence"
    await host.stops(execution)
    assert host.executor.events == [f"interrupt {execution.id}/1", f"stop {execution.id}/1"]
    assert (await host.bench.execution(execution.id)).outcome is Outcome.INTERRUPTED
    assert (await host.bench.work(execution.work)).state is WorkState.READY


# C-142
async def test_a_run_that_cannot_be_asked_is_stopped_all_the_same(host: Place) -> None:
    execution = await host.running()
    host.executor.faults = [RuntimeError(CANARY)] * TRIES
    await host.interrupted(execution)
    await host.turn()
    assert (await host.bench.execution(execution.id)).slot
    host.bench.clock.advance(PATIENCE)
    await host.stops(execution)
    host.bench.clock.advance(DISPATCH)
    await host.turn()
    assert await host.states(execution) == [ControlState.STALE]


# C-132, C-131
async def test_a_run_is_asked_by_the_executor_that_it_was_pinned_to(host: Place) -> None:
    execution = await host.running()
    later = SilentExecutor()
    host.executors.registry.use(Generation("generation-2", [later]))
    await host.interrupted(execution)
    await host.turn()
    await host.stops(execution)
    assert len(host.executor.events) == 2
    assert later.events == []
