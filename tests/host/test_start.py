"""The start pass: who starts, in which order, what it does not look at, and what stops none of the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from bot.clock import HOUR, SECOND
from bot.domain.admission import CapacityCode, Limits
from bot.domain.brake import Brakes
from bot.domain.hold import BRAKE
from bot.domain.kind import Lifecycle
from bot.domain.result import Outcome
from bot.domain.work import Instructions, Work
from bot.errors import TrackerError, TrackerUnavailableError
from bot.executors.shell.executor import ShellExecutor
from bot.host.bindings import Bindings
from bot.host.drain import Drain
from bot.host.in_force import InForce
from bot.host.places import Places, Wanted
from bot.host.scope_limits import ScopeLimits
from bot.host.start import Lease, StartPass
from bot.ids import WorkId
from bot.playbook.playbook import Playbook
from bot.scheduler.claim import Claimed
from bot.scheduler.gates import Allow, Ask
from bot.storage.contract import Store, Tx
from bot.trackers.contract import ReadThreads
from bot.views.capacity import HeldBack, PoolView, capacity_of
from tests.factories import LEASE, UNBRAKED
from tests.playbook.samples import small
from tests.scheduler.bench import Bench
from tests.scheduler.parking import parked

AGENT = small(("name: tidy", "name: agent"), ("run:tidy", "run:agent"))
JOB = small(("name: tidy", "name: job"), ("run:tidy", "run:job"), ("executor: claude-code", "executor: shell"))
T = TypeVar("T")
ONE_EACH = Limits(default=1, pools=(("agents", 1), ("jobs", 1)))


@dataclass(frozen=True)
class Poisoned(Wanted):
    """Every item asks for its Work, except that the tracker fails for some, and does not answer for others."""

    poison: set[WorkId]
    silent: set[WorkId]

    async def current(self, work: Work, playbook: Playbook) -> Instructions | None:
        del playbook
        if work.id in self.poison:
            raise TrackerError("no answer", status=502)
        if work.id in self.silent:
            raise TrackerUnavailableError("no answer")
        return work.instructions


@dataclass
class Gate:
    """A gate that cannot decide on some Work."""

    name = "approvals"
    undecided: set[WorkId] = field(default_factory=set)
    asked: list[WorkId] = field(default_factory=list)

    async def ask(self, ask: Ask) -> Allow:
        self.asked.append(ask.work.id)
        if ask.work.id in self.undecided:
            raise RuntimeError("the directory of people is down")
        return Allow()


@dataclass
class Counting:
    """A store that counts how often it is read."""

    store: Store
    reads: int = 0

    async def read(self, query: Callable[[Tx], T], /) -> T:
        self.reads += 1
        return await self.store.read(query)

    async def write(self, change: Callable[[Tx], T], /) -> T:
        return await self.store.write(change)

    async def close(self) -> None:
        await self.store.close()


@dataclass(kw_only=True)
class Host:
    """A start pass over the store of a bench, and what it did."""

    bench: Bench
    store: Counting
    passes: StartPass
    gate: Gate
    poison: set[WorkId]
    silent: set[WorkId]
    launched: list[Claimed]

    @property
    def started(self) -> list[WorkId]:
        return [claimed.work.id for claimed in self.launched]

    async def run(self) -> list[WorkId]:
        """Run the pass once, and return what it started."""
        before = len(self.launched)
        await self.passes.run()
        return self.started[before:]

    async def free(self) -> None:
        """End the attempt that was started last."""
        await self.bench.finished(self.launched[-1].execution.fence, Outcome.COMPLETED)

    async def pools(self, limits: Limits = ONE_EACH) -> dict[str, PoolView]:
        waiting = self.passes.waiting
        return {each.name: each for each in await self.bench.see(lambda tx: capacity_of(tx, limits, waiting))}


@pytest.fixture
def host(bench: Bench) -> Callable[..., Host]:
    def make(limits: Limits = ONE_EACH, scopes: Mapping[str, int] | None = None, brakes: Brakes = UNBRAKED) -> Host:
        agent = ShellExecutor(Path("/nowhere"), name="claude-code", pool="agents")
        job = ShellExecutor(Path("/nowhere"), name="shell", pool="jobs")
        bindings = Bindings(
            playbooks={"agent": AGENT, "job": JOB},
            executors={each.name: each for each in (agent, job)},
            timeout=HOUR,
            generation="generation-1",
            limits=limits,
            scopes=scopes or {},
            brakes=brakes,
        )
        store = Counting(cast("Store", bench.store))
        gate, poison, silent = Gate(), set[WorkId](), set[WorkId]()
        launched: list[Claimed] = []
        passes = StartPass(
            store=store,
            clock=bench.clock,
            in_force=InForce(bindings=bindings),
            scopes=ScopeLimits(store=store, named=lambda: bindings.scopes),
            gates=(gate,),
            wanted=Poisoned(Places(store), cast("ReadThreads", None), poison, silent),
            places=Places(store),
            lease=Lease(owner="host-a", length=LEASE),
            drain=Drain(),
            launch=launched.append,
            wake=lambda: None,
        )
        return Host(bench=bench, store=store, passes=passes, gate=gate, poison=poison, silent=silent, launched=launched)

    return make


async def wait_in_line(bench: Bench, number: int, playbook: str = "agent", **changes: Any) -> Work:
    return await bench.ready(number, playbook=playbook, created_at=bench.clock.advance(1), **changes)


# C-150
async def test_a_full_pool_does_not_keep_the_work_of_another_one_waiting(
    bench: Bench, host: Callable[..., Host]
) -> None:
    for number in range(1, 8):
        await wait_in_line(bench, number)
    job = await wait_in_line(bench, 8, "job")
    assert await host().run() == ["wrk-1-1", job.id]


# C-150, C-181
async def test_once_a_pool_is_full_the_rest_of_its_work_is_not_looked_at(
    bench: Bench, host: Callable[..., Host]
) -> None:
    for number in range(1, 8):
        await wait_in_line(bench, number)
    here = host()
    await here.run()
    assert len(here.passes.waiting) == 6
    before = here.store.reads
    await here.run()
    assert here.store.reads - before == 2, "the list, and the first of the pool, which finds it full"
    assert here.gate.asked == here.started, "no gate is asked about a start for which no slot is free"


# ag-L02, gh-I-05
@pytest.mark.parametrize("slots", [1, 2])
async def test_a_backlog_of_a_hundred_lets_another_repository_start_within_two_slots(
    bench: Bench, host: Callable[..., Host], slots: int
) -> None:
    for number in range(1, 101):
        await wait_in_line(bench, number)
    quiet = await wait_in_line(bench, 1, repository=2)
    here = host(Limits(default=slots, pools=()))
    await here.run()
    if slots == 1:
        await here.free()
        await here.run()
    assert len(here.started) == 2
    assert quiet.id in here.started


# gh-I-02, ag-G07
@pytest.mark.parametrize("fault", ["tracker", "gate"])
async def test_a_poisoned_work_does_not_keep_others_from_starting_in_the_same_pass(
    bench: Bench, host: Callable[..., Host], fault: str
) -> None:
    bad = await wait_in_line(bench, 1)
    good = [await wait_in_line(bench, 2), await wait_in_line(bench, 1, repository=2)]
    here = host(Limits(default=9, pools=()))
    (here.poison if fault == "tracker" else here.gate.undecided).add(bad.id)
    assert sorted(await here.run()) == sorted(work.id for work in good)
    assert (await bench.work(bad.id)).attempts == 0


# ag-G07
async def test_a_poisoned_work_is_tried_again_later_and_starts_when_it_is_well(
    bench: Bench, host: Callable[..., Host]
) -> None:
    bad = await wait_in_line(bench, 1)
    here = host()
    here.gate.undecided.add(bad.id)
    for _ in range(3):
        assert await here.run() == []
    assert len(here.gate.asked) == 1, "not before its pause is over"
    here.gate.undecided.clear()
    bench.clock.advance(SECOND)
    assert await here.run() == [bad.id]


# C-158, C-160, C-161
async def test_what_waits_for_a_pool_is_counted_with_what_runs_in_it(bench: Bench, host: Callable[..., Host]) -> None:
    for number in range(1, 4):
        await wait_in_line(bench, number)
    await wait_in_line(bench, 4, "job")
    here = host()
    assert (await here.pools())["agents"] == PoolView(name="agents", limit=1, in_use=0, waiting=0), "no pass yet"
    await here.run()
    assert await here.pools() == {
        "agents": PoolView(name="agents", limit=1, in_use=1, waiting=2),
        "jobs": PoolView(name="jobs", limit=1, in_use=1, waiting=0),
    }
    await here.free()
    (freed,) = [name for name, pool in (await here.pools()).items() if not pool.in_use]
    assert (freed, (await here.pools())["agents"].waiting) == ("jobs", 2), "read anew, and told by the last pass"


# C-159
async def test_each_waiting_work_has_the_limit_that_holds_it_back(bench: Bench, host: Callable[..., Host]) -> None:
    for number in range(1, 4):
        await wait_in_line(bench, number)
    here = host()
    await here.run()
    held = HeldBack(pool="agents", code=CapacityCode.CONCURRENCY, detail="1 of 1 agents busy")
    assert here.passes.waiting == {WorkId("wrk-1-2"): held, WorkId("wrk-1-3"): held}


# C-160
async def test_work_that_a_scope_holds_back_waits_for_no_pool(bench: Bench, host: Callable[..., Host]) -> None:
    for number in range(1, 4):
        await wait_in_line(bench, number)
    other = await wait_in_line(bench, 1, repository=2)
    limits = Limits(default=9, pools=(("agents", 9),))
    here = host(limits, {"owner-1/repo-1": 1})
    assert await here.run() == ["wrk-1-1", other.id]
    assert {each.code for each in here.passes.waiting.values()} == {CapacityCode.SCOPE}
    assert len(here.passes.waiting) == 2
    assert (await here.pools(limits))["agents"].waiting == 0


# C-162
@pytest.mark.parametrize("how", ["idle", "held"])
async def test_work_that_is_idle_or_held_by_now_waits_for_nothing(
    bench: Bench, host: Callable[..., Host], how: str
) -> None:
    await wait_in_line(bench, 1)
    work = await wait_in_line(bench, 2)
    here = host()
    await here.run()
    assert list(here.passes.waiting) == [work.id]
    if how == "idle":
        await bench.do(lambda tx, _: tx.inputs.drop(work.id))
    else:
        here.passes.in_force = InForce(bindings=replace(here.passes.in_force.bindings, brakes=Brakes(starts=0)))
        here.passes.in_force.bindings = replace(here.passes.in_force.bindings, limits=Limits(default=0, pools=()))
    await here.run()
    assert here.passes.waiting == {}


# ag-C02
async def test_a_work_that_trips_a_brake_is_held_with_one_hold_and_others_start(
    bench: Bench, host: Callable[..., Host]
) -> None:
    bad = await wait_in_line(bench, 1)
    await bench.do(
        lambda tx, now: tx.works.save(replace(bad, marks=replace(bad.marks, starts=(now,) * 3)), now),
    )
    good = await wait_in_line(bench, 1, repository=2)
    here = host(brakes=replace(UNBRAKED, starts=3))
    assert await here.run() == [good.id]
    assert await here.run() == []
    (hold,) = await bench.see(lambda tx: tx.holds.of_work(bad.id))
    assert (hold.holder, hold.reason) == (BRAKE, "3 starts without progress in 24 h")
    assert bad.id not in here.gate.asked


# C-30, C-33
async def test_an_attempt_is_claimed_by_the_policy_of_its_works_kind(bench: Bench, host: Callable[..., Host]) -> None:
    job = await wait_in_line(bench, 1, "job", kind="job")
    plain = await wait_in_line(bench, 2)
    for work in (job, plain):
        await bench.comment(work.id, f"more/{work.id}", kind="tick")
    here = host()
    await here.run()
    claimed = {each.work.id: each.execution for each in here.launched}
    assert claimed[job.id].binding.lifecycle is Lifecycle.STANDING
    assert claimed[job.id].trigger == f"evt-more/{job.id}"
    assert claimed[plain.id].binding.lifecycle is Lifecycle.PLAIN
    assert claimed[plain.id].trigger == f"evt-label/{plain.id}"


async def test_what_waits_is_forgotten_when_it_has_gone(bench: Bench, host: Callable[..., Host]) -> None:
    bad = await wait_in_line(bench, 1)
    here = host()
    here.gate.undecided.add(bad.id)
    await here.run()
    assert list(here.passes._later) == [bad.id]  # noqa: SLF001 - what is kept in memory is the question
    await bench.do(lambda tx, _: tx.inputs.drop(bad.id))
    await here.run()
    assert here.passes._later == {}  # noqa: SLF001 - as above


# ag-G07
async def test_a_clock_that_is_set_back_keeps_no_start_that_failed_from_being_tried_again(
    bench: Bench, host: Callable[..., Host]
) -> None:
    bad = await wait_in_line(bench, 1)
    here = host()
    here.gate.undecided.add(bad.id)
    assert await here.run() == []
    here.gate.undecided.clear()
    bench.clock.advance(-HOUR)
    assert await here.run() == [bad.id]


# ag-G07
async def test_where_the_tracker_does_not_answer_a_pass_asks_it_once_and_the_others_start_in_the_next(
    bench: Bench, host: Callable[..., Host]
) -> None:
    """Each question may take as long as the tracker is waited for, and all other passes wait with it."""
    works = [await wait_in_line(bench, number) for number in range(1, 4)]
    here = host(Limits(default=9, pools=()))
    here.silent.add(works[0].id)
    assert await here.run() == []
    assert await here.run() == [work.id for work in works[1:]]
    here.silent.clear()
    bench.clock.advance(SECOND)
    assert await here.run() == [works[0].id]


async def test_a_parked_attempt_goes_on_although_its_playbook_is_gone(host: Callable[..., Host]) -> None:
    """It is pinned to all that it needs; only a fresh attempt would need the playbook (C-20)."""
    made = host()
    work = await made.bench.ready(playbook="agent")
    await made.run()
    execution = await made.bench.run(made.launched[-1].execution.fence)
    await parked(made.bench, execution)
    await made.bench.comment(work.id)
    made.passes.in_force.bindings = replace(made.passes.in_force.bindings, playbooks={})
    assert await made.run() == [work.id]
    resumed = made.launched[-1].execution
    assert (resumed.id, resumed.binding) == (execution.id, execution.binding)
    await made.free()
    await made.bench.ready(2, playbook="agent")
    assert await made.run() == [], "a fresh one does not start without its playbook"
