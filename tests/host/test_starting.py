"""Starts on a host: none waits for another one's launch, and each keeps what it was started under."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest
import structlog

from bot.clock import HOUR
from bot.domain.execution import Execution, Phase
from bot.domain.result import Outcome
from bot.domain.work import Instructions, Work
from bot.errors import ConfigError, ExecutorError
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.host.attempts import Attempts
from bot.host.bindings import Bindings
from bot.host.drain import Drain
from bot.host.environment import PassedOn, RunEnvironment
from bot.host.executors import ExecutorsOf, describe, digest_of, rebuilt
from bot.host.home import Home
from bot.host.in_force import InForce, PlaybooksInForce
from bot.host.launching import Launching
from bot.host.places import Places, Wanted
from bot.host.recovery import RecoverPass, StopPass
from bot.host.scope_limits import ScopeLimits
from bot.host.start import Lease, StartPass
from bot.playbook.outcome import Decision
from bot.playbook.playbook import Playbook
from tests.executors.containers import SimulatedExecutor
from tests.factories import LEASE
from tests.host.rig import OnePlace, PlainOrders, binding
from tests.playbook.samples import small
from tests.scheduler.bench import Bench

MINE = Lease(owner="host-a", length=LEASE)
SMALL = small()
PATIENT = small(("timeout: 20m", "timeout: 40m"))
PATIENCE = 30.0


class Asking:
    """Every item asks for its Work."""

    async def current(self, work: Work, playbook: Playbook) -> Instructions | None:
        del playbook
        return Instructions(title="Fix it", body="", author="ada", revision=work.instructions.revision)


class Unpublished:
    """Nothing is ever published."""

    async def publish(self, work: Work, execution: Execution, decision: Decision) -> str:
        raise AssertionError((work, execution, decision))


async def never() -> AsyncIterator[None]:
    await asyncio.Event().wait()
    yield


def bindings(playbook: Playbook, executor: Executor) -> Bindings:
    document = describe({playbook.name: playbook}, grace=1)
    return Bindings(
        playbooks={playbook.name: playbook},
        executors={executor.name: executor},
        timeout=HOUR,
        generation=digest_of(document),
        document=document,
    )


@dataclass(kw_only=True)
class Desk:
    """A host that starts, takes over and stops; ``made`` are the executors that a stored generation gives."""

    bench: Bench
    executor: SimulatedExecutor = field(default_factory=lambda: SimulatedExecutor(name="claude-code"))
    made: Mapping[str, Executor] = field(default_factory=dict)
    environments: Sequence[RunEnvironment] = ()
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.in_force = InForce(bindings=bindings(SMALL, self.executor))
        self.registry = Registry(Generation(self.in_force.bindings.generation, [self.executor]))
        self.executors = ExecutorsOf(registry=self.registry, store=self.bench.store, rebuild=lambda _: self.made)
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
            publisher=Unpublished(),
            lease_length=LEASE,
            ticks=never,
            watch=never,
            wake=self.woken.set,
        )
        self.start = StartPass(
            store=self.bench.store,
            clock=self.bench.clock,
            in_force=self.in_force,
            scopes=ScopeLimits(store=self.bench.store, named=dict),
            gates=(),
            wanted=cast("Wanted", Asking()),
            places=cast("Places", OnePlace()),
            lease=MINE,
            drain=Drain(),
            launch=self.attempts.claimed,
            wake=lambda: None,
        )

    def reload(self, playbook: Playbook, executor: SimulatedExecutor) -> None:
        """Put other bindings in force, as a reload does."""
        self.in_force.bindings = bindings(playbook, executor)
        self.registry.use(Generation(self.in_force.bindings.generation, [executor]))

    async def attempt(self, work: Work) -> Execution:
        (execution,) = await self.bench.see(lambda tx: tx.executions.of_work(work.id))
        return execution

    async def reaches(self, work: Work, phase: Phase) -> Execution:
        """Wait until the attempt of a Work is in a phase."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.woken.clear()
                execution = await self.attempt(work)
                if execution.phase is phase:
                    return execution
                await self.woken.wait()

    async def recover(self) -> None:
        """Take over everything whose lease has lapsed."""
        await self.attempts.close()
        self.bench.clock.advance(LEASE)
        await RecoverPass(
            store=self.bench.store,
            clock=self.bench.clock,
            lease=MINE,
            home=Home(owner=MINE.owner, shared=False),
            attempts=self.attempts,
            drain=Drain(),
        ).run()


@asynccontextmanager
async def desk_on(bench: Bench, **changes: object) -> AsyncIterator[Desk]:
    desk = Desk(bench=bench, **changes)  # type: ignore[arg-type] # named by the tests
    try:
        yield desk
    finally:
        await desk.attempts.close()


async def ready(bench: Bench, number: int) -> Work:
    return await bench.ready(number, playbook="tidy")


# C-17, C-197
async def test_a_launch_that_is_stuck_holds_up_no_other(bench: Bench) -> None:
    stuck, next_one = await ready(bench, 1), await ready(bench, 2)
    executor = SimulatedExecutor(name="claude-code", hangs=frozenset({stuck.id}))
    async with desk_on(bench, executor=executor) as desk:
        async with asyncio.timeout(PATIENCE):
            await desk.start.run()
        await desk.reaches(next_one, Phase.RUNNING)
        later = await ready(bench, 3)
        async with asyncio.timeout(PATIENCE):
            await desk.start.run()
        await desk.reaches(later, Phase.RUNNING)
        assert (await desk.attempt(stuck)).phase is Phase.LAUNCHING
        assert len(executor.orders) == 3, "it was called, and is not back"


# C-57
async def test_an_adoption_that_is_stuck_holds_up_no_other(bench: Bench) -> None:
    """A recovery is claimed on the pass, and launched beside it."""
    works = [await ready(bench, number) for number in (1, 2)]
    async with desk_on(bench) as desk:
        await desk.start.run()
        for work in works:
            await desk.reaches(work, Phase.RUNNING)
        desk.executor.hangs_in_recovery = frozenset({works[0].id})
        async with asyncio.timeout(PATIENCE):
            await desk.recover()
        assert (await desk.reaches(works[1], Phase.RUNNING)).epoch == 2
        first = await desk.attempt(works[0])
        assert (first.phase, first.epoch) == (Phase.RECOVERING, 2)


# C-20, C-21
async def test_what_an_attempt_is_started_under_is_kept_with_it(bench: Bench) -> None:
    work = await ready(bench, 1)
    async with desk_on(bench) as desk:
        assert await bench.see(lambda tx: tx.generations.all()) == {}
        await desk.start.run()
        now = desk.in_force.bindings
        execution = await desk.attempt(work)
        assert execution.binding == now.of(work)
        assert await bench.see(lambda tx: tx.generations.all()) == {now.generation: now.document}


# C-21, C-23
async def test_a_reload_changes_what_starts_and_nothing_that_runs(bench: Bench) -> None:
    before, new = await ready(bench, 1), SimulatedExecutor(name="claude-code")
    async with desk_on(bench) as desk:
        old = desk.executor
        await desk.start.run()
        first = await desk.reaches(before, Phase.RUNNING)
        desk.reload(PATIENT, new)
        after = await ready(bench, 2)
        await desk.start.run()
        second = await desk.reaches(after, Phase.RUNNING)
        assert ([o.work for o in old.orders], [o.work for o in new.orders]) == ([before.id], [after.id])
        assert second.binding.timeout == 2 * first.binding.timeout
        assert second.binding.generation != first.binding.generation

        await desk.recover()
        assert (await desk.reaches(before, Phase.RUNNING)).binding == first.binding
        await desk.reaches(after, Phase.RUNNING)
        assert ([o.work for o in old.recovered], [o.work for o in new.recovered]) == ([before.id], [after.id])


# C-21
async def test_what_another_process_started_is_gone_on_with_by_what_is_stored(bench: Bench) -> None:
    theirs = SimulatedExecutor(name="claude-code")
    pinned = binding(executor="claude-code", generation="theirs")
    execution = await bench.running(1, binding=pinned)
    theirs.processes.append(f"{execution.id}/1")
    await bench.do(lambda tx, now: tx.generations.keep("theirs", {"version": 1}, now))
    async with desk_on(bench, made={"claude-code": theirs}) as desk:
        await desk.recover()
        work = await bench.work(execution.work)
        assert (await desk.reaches(work, Phase.RUNNING)).epoch == 2
        assert desk.executor.recovered == []
        assert len(theirs.recovered) == 1


# C-22
async def test_an_attempt_under_a_generation_that_is_gone_fails_closed(bench: Bench) -> None:
    pinned = binding(executor="claude-code", generation="gone")
    execution = await bench.running(1, binding=pinned)
    async with desk_on(bench) as desk:
        await desk.recover()
        work = await bench.work(execution.work)
        ended = await desk.reaches(work, Phase.FINISHED)
        assert ended.outcome is Outcome.FAILED
        assert "unsupported" in ended.summary
        assert ended.slot, "what may be running of it is not known to have stopped"
        tried = asyncio.Event()
        stop = StopPass(
            store=bench.store,
            clock=bench.clock,
            executors=desk.executors,
            attempts=desk.attempts,
            home=Home(owner=MINE.owner, shared=False),
            wake=tried.set,
        )
        await stop.run()
        async with asyncio.timeout(PATIENCE):
            await tried.wait()
        assert (await desk.attempt(work)).slot
        assert (desk.executor.orders, desk.executor.recovered, desk.executor.stopped) == ([], [], [])


# C-27
async def test_an_attempt_without_its_environment_fails_and_is_tried_again(bench: Bench) -> None:
    work = await ready(bench, 1)
    missing = PassedOn(names={"acme": ("API_KEY",)}, host={})
    async with desk_on(bench, environments=(missing,)) as desk:
        await desk.start.run()
        ended = await desk.reaches(work, Phase.FINISHED)
        assert (ended.outcome, ended.summary) == (
            Outcome.FAILED,
            "run environment unavailable: API_KEY is not set",
        )
        assert desk.executor.orders == []
        assert await bench.timer(work.id) is not None


# C-29
async def test_recovery_keeps_what_an_attempt_was_granted(bench: Bench) -> None:
    pinned = binding(generation="g1", grants=("deploy",), config={"deploy": True})
    execution = await bench.running(1, binding=pinned)
    recovered = await bench.recovered(execution.id)
    assert recovered.execution.binding.grants == ("deploy",)
    assert recovered.execution.binding == pinned


async def test_a_stored_generation_that_cannot_be_read_is_said_and_stays_unknown(bench: Bench) -> None:
    def unreadable(document: Mapping[str, object]) -> Mapping[str, Executor]:
        raise ConfigError(f"unknown: {sorted(document)}")

    registry = Registry(Generation("now", [SimulatedExecutor()]))
    executors = ExecutorsOf(registry=registry, store=bench.store, rebuild=unreadable)
    await bench.do(lambda tx, now: tx.generations.keep("old", {"version": 9}, now))
    with structlog.testing.capture_logs() as logged:
        await executors.restore()
    assert [entry["event"] for entry in logged] == ["generation_not_restored"]
    with pytest.raises(ExecutorError, match="not known any more"):
        await executors.of(binding(generation="old"))
    known = await executors.of(binding(generation="now"))
    assert known.name == "agent", "negative control"


def test_a_generation_is_named_by_what_makes_executors_and_by_what_is_bound_to_them() -> None:
    # C-20, C-24
    books = {"tidy": SMALL}
    document = describe(books, grace=1)
    assert digest_of(document) == digest_of(describe(dict(books), grace=1))
    assert digest_of(document) != digest_of(describe(books, grace=2))
    assert digest_of(document) != digest_of(describe({"tidy": PATIENT}, grace=1))
    assert document.keys() == {"version", "grace", "playbooks"}


def test_executors_are_made_anew_from_what_is_stored(tmp_path: Path) -> None:
    # C-21
    assert list(rebuilt(tmp_path, describe({}, grace=7))) == ["shell"]
    for document in ({}, {"version": 2, "grace": 7}, {"version": 1, "grace": "7s"}):
        with pytest.raises(ConfigError, match="unknown version"):
            rebuilt(tmp_path, document)


def test_the_playbooks_in_force_are_those_of_the_moment() -> None:
    # C-23
    agent = SimulatedExecutor(name="claude-code")
    in_force = InForce(bindings=bindings(SMALL, agent))
    books = PlaybooksInForce(in_force)
    assert (dict(books), len(books)) == ({"tidy": SMALL}, 1)
    in_force.bindings = bindings(PATIENT, agent)
    assert books["tidy"] is PATIENT
