"""A host and runs that stop inside their turn; and what an executor may say when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.clock import MINUTE, SECOND
from bot.domain.execution import Execution, Phase
from bot.domain.result import Outcome, Result
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Suspension
from bot.domain.work import BlockedReason, Work, WorkState
from bot.errors import ExecutorError
from bot.executors.registry import Generation, Registry
from bot.host.attempts import Attempts
from bot.host.environment import LaunchContext, RunEnvironment
from bot.host.executors import ExecutorsOf
from bot.host.home import Home
from bot.host.launching import Launching
from bot.host.recovery import StopPass
from bot.playbook.outcome import Decision
from bot.scheduler.claim import Claimed
from bot.scheduler.recover import Recovered
from tests.factories import LEASE, TIMEOUT
from tests.host.rig import GENERATION, OnePlace, PlainOrders, binding, no_rebuild
from tests.host.scripted import ResumingExecutor, ScriptedExecutor
from tests.scheduler.bench import Bench

CANARY = "sk-canary: the provider's own words"
STOPPED = Result(ok=True, suspension=Suspension(awaited=Awaited(kinds=("comment",)), session={"id": "s-1"}))
DONE = Result(ok=True, turn=Turn(status="finished", comment="It is tidy."))


class Nothing:
    """A publisher for playbooks that publish nothing."""

    async def publish(self, work: Work, execution: Execution, decision: Decision) -> str:
        raise AssertionError(work.id, execution.id, decision)


async def never() -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


@dataclass(kw_only=True)
class Asked:
    """An environment that remembers for which epochs it was asked."""

    epochs: list[int] = field(default_factory=list)

    async def of(self, context: LaunchContext) -> Mapping[str, str]:
        self.epochs.append(context.execution.epoch)
        return {}


@dataclass(kw_only=True)
class Place:
    """A host that drives attempts of one executor."""

    bench: Bench
    executor: ScriptedExecutor
    environments: Sequence[RunEnvironment] = ()
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.executors = ExecutorsOf(
            registry=Registry(Generation(GENERATION, [self.executor])), store=self.bench.store, rebuild=no_rebuild
        )
        self.attempts = Attempts(
            store=self.bench.store,
            clock=self.bench.clock,
            launching=Launching(
                write=self.bench.do,
                executors=self.executors,
                orders=PlainOrders(),
                places=OnePlace(),
                environments=self.environments,
            ),
            publisher=Nothing(),
            lease_length=LEASE,
            ticks=never,
            watch=never,
            wake=self.woken.set,
        )

    async def claimed(self, **changes: Any) -> Claimed:
        pinned = binding(executor="agent", **{"capabilities": self.executor.capabilities, **changes})
        return await self.bench.claimed(binding=pinned)

    async def answered(self, work: Work) -> Claimed:
        """Let somebody answer a Work that waits, and claim it."""
        return await self.bench.claim(await self.bench.comment(work.id, "answer"))

    async def drive(self, taken: Claimed | Recovered) -> Execution:
        """Drive an attempt until this host is through with it."""
        if isinstance(taken, Claimed):
            self.attempts.claimed(taken)
        else:
            self.attempts.recovered(taken)
        return await self.through(taken.execution)

    async def through(self, execution: Execution) -> Execution:
        async with asyncio.timeout(10):
            while execution.id in self.attempts.driving():
                await self.woken.wait()
                self.woken.clear()
        return await self.bench.execution(execution.id)

    def calls(self) -> list[str]:
        return [f"{what} {order.key.rpartition('/')[2]}" for what, order in self.executor.calls]


def place_of(bench: Bench, *lines: Result | Exception, **changes: Any) -> Place:
    """Return a host whose executor can resume runs."""
    return Place(bench=bench, executor=ResumingExecutor(lines=list(lines)), **changes)


# C-37, C-36, C-28, C-121
async def test_a_run_that_stops_inside_its_turn_is_parked_and_resumed(bench: Bench) -> None:
    place = place_of(bench, STOPPED, DONE)
    parked = await place.drive(await place.claimed())
    assert (parked.phase, parked.slot, parked.token, parked.remaining) == (Phase.PARKED, False, "", TIMEOUT)
    work = await bench.work(parked.work)
    assert (work.state, work.waits, work.status) == (WorkState.WAITING, ("comment",), "building")

    bench.clock.advance(3 * TIMEOUT)
    ended = await place.drive(await place.answered(work))
    assert place.calls() == ["run 1", "resume 2"]
    first, second = (order for _, order in place.executor.calls)
    assert (first.session, second.session) == ({}, {"id": "s-1"})
    assert first.token != second.token
    assert (ended.number, ended.epoch, ended.outcome) == (1, 2, Outcome.COMPLETED)
    assert (await bench.work(work.id)).state is WorkState.COMPLETED


# C-28
async def test_a_resumed_run_is_told_what_is_left_of_its_time(bench: Bench) -> None:
    place = place_of(bench, STOPPED, DONE)
    place.executor.due.clear()
    claimed = await place.claimed(timeout=10 * MINUTE)
    place.attempts.claimed(claimed)
    await place.woken.wait()
    bench.clock.advance(20 * SECOND)
    place.executor.due.set()
    parked = await place.through(claimed.execution)
    bench.clock.advance(MINUTE)
    await place.drive(await place.answered(await bench.work(parked.work)))
    assert [order.timeout for _, order in place.executor.calls] == [10 * MINUTE, 10 * MINUTE - 20 * SECOND]


# C-59, C-61
async def test_a_resumed_launch_that_was_lost_before_its_call_is_resumed_again(bench: Bench) -> None:
    place = place_of(bench, STOPPED, DONE)
    parked = await place.drive(await place.claimed())
    await place.answered(await bench.work(parked.work))
    ended = await place.drive(await bench.recovered(parked.id))
    assert place.calls() == ["run 1", "resume 3"]
    assert place.executor.calls[-1][1].session == {"id": "s-1"}
    assert (ended.outcome, ended.number) == (Outcome.COMPLETED, 1)


# C-58
async def test_a_resumed_run_that_may_be_running_is_adopted(bench: Bench) -> None:
    """The negative control: what was called is never called again."""
    place = place_of(bench, STOPPED, DONE)
    parked = await place.drive(await place.claimed())
    again = (await place.answered(await bench.work(parked.work))).execution
    await bench.run(again.fence)
    ended = await place.drive(await bench.recovered(parked.id))
    assert place.calls() == ["run 1", "recover 3"]
    assert ended.outcome is Outcome.COMPLETED


# C-25
async def test_the_environment_is_asked_before_a_run_and_a_resumption_and_not_for_an_adoption(bench: Bench) -> None:
    asked = Asked()
    place = place_of(bench, STOPPED, DONE, environments=(asked,))
    parked = await place.drive(await place.claimed())
    again = (await place.answered(await bench.work(parked.work))).execution
    assert asked.epochs == [1]
    taken = await bench.recovered(again.id)
    await bench.run(taken.execution.fence)
    await place.drive(await bench.recovered(again.id))
    assert (asked.epochs, place.calls()) == ([1], ["run 1", "recover 4"])

    other = place_of(bench, STOPPED, DONE, environments=(asked,))
    claimed = await bench.claimed(2, binding=binding(executor="agent", capabilities=other.executor.capabilities))
    parked = await other.drive(claimed)
    await other.drive(await bench.claim(await bench.comment(parked.work, "answer 2")))
    assert asked.epochs == [1, 1, 2]


# C-114, C-132
async def test_a_run_that_stops_to_be_resumed_fails_for_good_when_its_executor_cannot(bench: Bench) -> None:
    stopped = Result(ok=True, suspension=STOPPED.suspension, units={"usd": 2.0})
    place = Place(bench=bench, executor=ScriptedExecutor(lines=[stopped]))
    ended = await place.drive(await place.claimed())
    work = await bench.work(ended.work)
    assert ended.summary == "the run stopped to wait, and the executor 'agent' cannot resume one"
    assert (ended.outcome, ended.slot) == (Outcome.FAILED, False)
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.PERMANENT_FAILURE)
    assert (work.reason, work.usage) == (ended.summary, {"usd": 2.0})


# C-132
async def test_an_attempt_cannot_be_resumed_by_what_its_executor_learned_since(bench: Bench) -> None:
    place = place_of(bench, STOPPED)
    ended = await place.drive(await place.claimed(capabilities=frozenset()))
    assert (ended.phase, ended.outcome) == (Phase.FINISHED, Outcome.FAILED)


# C-22
@pytest.mark.parametrize("name", ["agent", "another"])
async def test_a_parked_attempt_is_never_begun_anew_when_its_executor_is_gone(bench: Bench, name: str) -> None:
    """Not by one that cannot resume it, and not by another one."""
    place = place_of(bench, STOPPED)
    parked = await place.drive(await place.claimed())
    later = Place(bench=bench, executor=ScriptedExecutor(name=name, lines=[DONE]))
    ended = await later.drive(await later.answered(await bench.work(parked.work)))
    assert later.calls() == []
    assert ended.outcome is Outcome.FAILED
    assert ended.summary.startswith("executor failed: unsupported: the executor 'agent' ")
    assert (await bench.work(parked.work)).blocked is BlockedReason.PERMANENT_FAILURE


# C-84
async def test_a_result_that_comes_after_the_lease_was_lost_changes_nothing(bench: Bench) -> None:
    place = place_of(bench, DONE)
    place.executor.due.clear()
    claimed = await place.claimed()
    place.attempts.claimed(claimed)
    await place.woken.wait()
    await bench.comment(claimed.work.id, "meanwhile")  # nothing is locked while a run is observed
    taken = await bench.recovered(claimed.execution.id)
    place.executor.due.set()
    assert await place.through(claimed.execution) == taken.execution


# C-88
async def test_what_an_executor_says_of_a_failed_observation_is_told(bench: Bench) -> None:
    place = place_of(bench, ExecutorError("the limit is reached", code="limit"))
    with capture_logs() as logs:
        ended = await place.drive(await place.claimed())
    assert ended.summary == "executor observation failed: limit: the limit is reached"
    assert (await bench.work(ended.work)).reason == ended.summary
    (observed,) = [entry for entry in logs if entry["event"] == "observation_failed"]
    assert (observed["cause"], observed["execution"]) == ("limit: the limit is reached", ended.id)


# C-88 (negative control): what fails before there is a run is no observation
async def test_what_an_executor_says_of_a_failed_launch_is_told(bench: Bench) -> None:
    place = place_of(bench)
    place.executor.fault = ExecutorError("the disk is full", code="disk")
    with capture_logs() as logs:
        ended = await place.drive(await place.claimed())
    assert ended.summary == "executor failed: disk: the disk is full"
    assert all(entry["event"] != "observation_failed" for entry in logs)


# C-89
@pytest.mark.parametrize("step", ["run", "resume", "recover", "wait"])
async def test_what_else_an_executor_raises_is_kept_nowhere(bench: Bench, tmp_path: Path, step: str) -> None:
    fault = RuntimeError(CANARY)
    place = place_of(bench, fault) if step == "wait" else place_of(bench, STOPPED)
    taken: Claimed | Recovered = await place.claimed()
    if step == "resume":
        taken = await place.answered(await bench.work((await place.drive(taken)).work))
    elif step == "recover":
        await bench.run(taken.execution.fence)
        taken = await bench.recovered(taken.execution.id)
    if step != "wait":
        place.executor.fault = fault
    with capture_logs() as logs:
        ended = await place.drive(taken)

    what = "executor observation failed" if step == "wait" else "executor failed"
    (broken,) = [entry for entry in logs if entry["event"] == "executor_broken"]
    assert ended.summary == f"{what}: internal: error {broken['error_id']}; the log of the bot says where"
    assert (broken["error"], ended.outcome) == ("RuntimeError", Outcome.FAILED)
    assert any("scripted.py" in where for where in broken["where"]), "where it was raised is known"
    _kept_nowhere(logs, tmp_path)


# C-89, C-82
async def test_what_an_executor_raises_when_it_cannot_stop_is_kept_nowhere(bench: Bench, tmp_path: Path) -> None:
    place = place_of(bench, ExecutorError("it is gone", code="lost"))
    ended = await place.drive(await place.claimed())
    assert ended.slot, "what may be running of it is still to be stopped"
    place.executor.fault = RuntimeError(CANARY)
    stop = StopPass(
        store=bench.store,
        clock=bench.clock,
        executors=place.executors,
        attempts=place.attempts,
        home=Home(owner="host-a", shared=False),
        wake=place.woken.set,
    )
    place.woken.clear()
    with capture_logs() as logs:
        await stop.run()
        async with asyncio.timeout(10):
            await place.woken.wait()
    assert [entry["event"] for entry in logs] == ["stop_failed"]
    assert (await bench.execution(ended.id)).slot
    _kept_nowhere(logs, tmp_path)


def _kept_nowhere(logs: Sequence[Mapping[str, Any]], directory: Path) -> None:
    assert CANARY not in repr(logs)
    files = [path for path in directory.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if CANARY.encode() in path.read_bytes()]
