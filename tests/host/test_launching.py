"""A launch, step by step: what is recorded of it, and what is known when it is cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from bot.clock import SECOND, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.segment import Invoke, Segments
from bot.domain.steps import LaunchStep, StepOutcome
from bot.errors import ExecutorError, NotAdoptableError, StaleEpochError, WorkspaceError
from bot.host.environment import CommitIdentity
from bot.playbook.words import Sandbox
from bot.scheduler.lease import Keep, hold
from bot.scheduler.recover import Recovered
from bot.storage.contract import Tx
from tests.executors.containers import ContainerSandbox, Daemon, State, Watch
from tests.factories import LEASE
from tests.host.rig import Rig, taken
from tests.scheduler.bench import Bench
from tests.scheduler.test_lease import Ticks


@pytest.fixture
def daemon() -> Daemon:
    return Daemon()


@pytest.fixture
def rig(bench: Bench, daemon: Daemon) -> Rig:
    return Rig(
        bench=bench,
        environments=(CommitIdentity(),),
        sandboxes={Sandbox.BUBBLEWRAP: ContainerSandbox(daemon=daemon)},
    )


def trail(execution: Execution) -> list[tuple[str, str]]:
    """Return the steps of the newest launch, each with how it ended."""
    found = execution.segments.kept[-1].launch
    return [(each.step.value, "" if each.outcome is None else each.outcome.value) for each in found]


async def beside(launch: Coroutine[Any, Any, object], reached: asyncio.Event) -> asyncio.Task[object]:
    """Begin a launch, and return when it has come so far."""
    task = asyncio.create_task(launch)
    waiting = asyncio.create_task(reached.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    assert not task.done(), task
    return task


async def abandoned(task: asyncio.Task[object]) -> None:
    """Cut a launch off, as a host does that ends."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# C-43, C-44
async def test_each_step_of_a_launch_is_recorded(rig: Rig) -> None:
    execution = await rig.launched(await rig.claimed())
    steps = ["toolbelt", "environment", "workspace", "executor"]
    assert trail(execution) == [(step, "ok") for step in steps]
    assert execution.phase is Phase.RUNNING


# C-51
async def test_a_launch_and_an_adoption_give_a_handle_on_the_run_that_was_asked_for(rig: Rig) -> None:
    ours = await rig.claimed()
    assert ours.execution.lease_until == rig.bench.clock.now() + LEASE
    assert await rig.launching.handle(ours) == Watch(epoch=1)
    again = taken(await rig.bench.recovered(ours.execution.id))
    assert again.execution.lease_until == rig.bench.clock.now() + LEASE
    assert await rig.launching.handle(again) == Watch(epoch=1), "on the same run"
    (launch,), (adoption,) = rig.executor.orders, rig.executor.recovered
    assert [each.execution for each in (launch, adoption)] == [ours.execution.id] * 2
    assert [each.epoch for each in (launch, adoption)] == [1, 2]


# C-43, C-46, C-47, C-80
async def test_the_steps_inside_a_sandboxed_launch_are_recorded_too(rig: Rig, daemon: Daemon) -> None:
    daemon.pulled.set()
    execution = await rig.launched(await rig.claimed(sandboxed=True))
    steps = [step for step, _ in trail(execution)]
    assert steps == [
        *("toolbelt", "environment", "workspace", "sandbox", "executor"),
        *("sandbox plan", "sandbox create", "sandbox pin"),
    ]
    segment = execution.segments.open
    assert (segment.invoke, segment.isolated) == (Invoke.CALLED, True)
    assert segment.sandbox is not None
    assert daemon.states() == [State.RUNS]
    assert rig.executor.orders[0].directory == "/inside"


# C-47 (negative control)
async def test_a_launch_without_a_sandbox_is_not_isolated(rig: Rig) -> None:
    segment = (await rig.launched(await rig.claimed())).segments.open
    assert (segment.invoke, segment.isolated, segment.sandbox) == (Invoke.CALLED, False, None)


# C-44
async def test_a_slow_step_is_seen_while_it_lasts(rig: Rig, daemon: Daemon) -> None:
    began = rig.bench.clock.now()
    ours = await rig.claimed(sandboxed=True)
    task = await beside(rig.launched(ours), daemon.asked)
    now = rig.bench.clock.advance(30 * SECOND)
    pulling = (await rig.bench.execution(ours.execution.id)).segments.open.launch[-1]
    assert (pulling.step, pulling.started_at) == (LaunchStep.SANDBOX_CREATE, began)
    assert (pulling.ended_at, pulling.outcome) == (None, None)

    daemon.pulled.set()
    await task
    seen = (await rig.bench.execution(ours.execution.id)).segments.open.launch
    pulled = next(each for each in seen if each.step is LaunchStep.SANDBOX_CREATE)
    assert (pulled.ended_at, pulled.outcome) == (now, StepOutcome.OK)


# C-44
async def test_a_step_that_fails_is_recorded_as_failed(rig: Rig) -> None:
    rig.orders.fault = WorkspaceError("no such repository")
    ours = await rig.claimed()
    with pytest.raises(WorkspaceError):
        await rig.launched(ours)
    assert trail(await rig.bench.execution(ours.execution.id))[-1] == ("workspace", "failed")
    assert rig.executor.orders == []


# C-44
async def test_a_step_that_is_cut_off_is_recorded_as_cancelled(rig: Rig, daemon: Daemon) -> None:
    ours = await rig.claimed(sandboxed=True)
    await abandoned(await beside(rig.launched(ours), daemon.asked))
    assert trail(await rig.bench.execution(ours.execution.id))[-3:] == [
        ("executor", "cancelled"),
        ("sandbox plan", "ok"),
        ("sandbox create", "cancelled"),
    ]


# C-45
async def test_a_step_that_may_not_be_written_only_leaves_the_trail_short(rig: Rig, daemon: Daemon) -> None:
    """What fails is the write that the launch itself needs, and not one step sooner."""
    ours = await rig.claimed(sandboxed=True)
    task = await beside(rig.launched(ours), daemon.asked)
    await rig.bench.recovered(ours.execution.id)
    daemon.pulled.set()
    with pytest.raises(StaleEpochError):
        await task
    assert trail(await rig.bench.execution(ours.execution.id)) == []


# C-59, C-61, C-62, C-63
async def test_an_isolated_launch_that_pinned_nothing_is_launched_again(rig: Rig, daemon: Daemon) -> None:
    """The image is being pulled when the lease is lost; the old launch goes on, and comes to nothing."""
    ours = await rig.claimed(sandboxed=True)
    old = await beside(rig.launched(ours), daemon.asked)
    again = await rig.bench.recovered(ours.execution.id)
    assert again.relaunch
    assert again.execution.segments.open.relaunched
    daemon.pulled.set()
    with pytest.raises(StaleEpochError):
        await old
    assert daemon.states() == [State.REMOVED], "it takes its own container away"

    execution = await rig.launched(taken(again))
    assert daemon.states() == [State.REMOVED, State.RUNS]
    assert [order.epoch for order in rig.executor.orders] == [1, 2]
    assert rig.executor.recovered == []
    assert rig.executor.processes == [f"{execution.id}/2"], "what was started first never ran"
    assert (execution.phase, execution.number) == (Phase.RUNNING, 1)
    work = await rig.bench.work(execution.work)
    assert (work.attempts, work.failures) == (1, 0)
    assert await rig.bench.timer(work.id) is None


# C-63
async def test_a_new_launch_takes_away_what_a_dead_host_left(rig: Rig, daemon: Daemon) -> None:
    daemon.pulled.set()
    ours = await rig.claimed(sandboxed=True)
    left = await daemon.create(await rig.orders.make(ours.work, ours.execution, (), ""))
    await rig.bench.begin(ours.execution.fence, isolated=True)
    again = await rig.bench.recovered(ours.execution.id)
    assert again.relaunch
    await rig.launched(taken(again))
    assert left.state is State.REMOVED
    assert daemon.states() == [State.REMOVED, State.RUNS]


# C-59, C-61
async def test_a_launch_that_did_not_reach_its_executor_is_launched_again(rig: Rig) -> None:
    ours = await rig.claimed()
    again = await rig.bench.recovered(ours.execution.id)
    assert again.relaunch
    await rig.launched(taken(again))
    assert [order.key for order in rig.executor.orders] == [f"{ours.execution.id}/2"]


async def _lost_after_the_pin(rig: Rig, daemon: Daemon) -> Recovered:
    """Let the container run, and its host have no time to say where."""
    daemon.pulled.set()
    ours = await rig.claimed(sandboxed=True)
    rig.executor.forgets = True
    await abandoned(await beside(rig.launched(ours), rig.executor.started))
    assert daemon.states() == [State.RUNS]
    return await rig.bench.recovered(ours.execution.id)


async def _lost_after_metadata(rig: Rig, _daemon: Daemon) -> Recovered:
    ours = await rig.claimed()
    await rig.bench.begin(ours.execution.fence)
    rig.executor.processes.append(f"{ours.execution.id}/1")
    await rig.bench.persist(ours.execution.fence)
    return await rig.bench.recovered(ours.execution.id)


async def _lost_between_start_and_metadata(rig: Rig, _daemon: Daemon) -> Recovered:
    ours = await rig.claimed()
    rig.executor.forgets = True
    await abandoned(await beside(rig.launched(ours), rig.executor.started))
    return await rig.bench.recovered(ours.execution.id)


async def _lost_without_a_word_on_how_far_it_got(rig: Rig, _daemon: Daemon) -> Recovered:
    ours = await rig.claimed()
    rig.executor.processes.append(f"{ours.execution.id}/1")
    await rig.bench.do(partial(_forget_invoke, execution=ours.execution))
    return await rig.bench.recovered(ours.execution.id)


def _forget_invoke(tx: Tx, now: Millis, *, execution: Execution) -> None:
    """Write a segment as one that does not say how far its launch got is read."""
    document = execution.segments.to_document()
    kept = document["kept"]
    assert isinstance(kept, list)
    del kept[-1]["invoke"]
    tx.executions.write(replace(execution, segments=Segments.from_document(document)), now)


ADOPTED = [
    _lost_after_the_pin,
    _lost_after_metadata,
    _lost_between_start_and_metadata,
    _lost_without_a_word_on_how_far_it_got,
]


# C-60, C-64, C-65, C-196 (negative controls)
@pytest.mark.parametrize("lost", ADOPTED)
async def test_a_launch_that_may_have_started_something_is_adopted(
    rig: Rig, daemon: Daemon, lost: Callable[[Rig, Daemon], Awaitable[Recovered]]
) -> None:
    again = await lost(rig, daemon)
    assert not again.relaunch
    asked = len(rig.executor.orders)
    execution = await rig.launched(taken(again))
    assert execution.phase is Phase.RUNNING
    assert len(rig.executor.orders) == asked, "it is never run again"
    assert [order.epoch for order in rig.executor.recovered] == [2]
    assert trail(execution) == [("workspace", "ok"), ("executor", "ok")]


# C-65
async def test_a_launch_of_which_nothing_is_found_fails_and_is_not_replaced(rig: Rig) -> None:
    ours = await rig.claimed()
    await rig.bench.begin(ours.execution.fence)
    again = await rig.bench.recovered(ours.execution.id)
    with pytest.raises(NotAdoptableError):
        await rig.launched(taken(again))
    assert rig.executor.orders == []


# C-80
async def test_an_adopted_segment_carries_the_sandbox_that_was_pinned(rig: Rig, daemon: Daemon) -> None:
    daemon.pulled.set()
    execution = await rig.launched(await rig.claimed(sandboxed=True))
    pinned = execution.segments.open.sandbox
    again = await rig.bench.recovered(execution.id)
    assert again.execution.segments.open.sandbox == pinned is not None
    third = await rig.bench.recovered(execution.id)
    assert third.execution.segments.open.sandbox == pinned


# C-66
async def test_a_launch_that_is_over_its_time_is_not_launched_again(rig: Rig, daemon: Daemon) -> None:
    ours = await rig.claimed(sandboxed=True)
    await abandoned(await beside(rig.launched(ours), daemon.asked))
    rig.bench.clock.advance(ours.execution.deadline - rig.bench.clock.now())
    again = await rig.bench.recover(ours.execution.id)
    assert again is not None
    assert not again.relaunch


async def test_an_executor_that_does_not_wait_for_its_sandbox_has_no_run(rig: Rig) -> None:
    """A run that was started beside its sandbox counts as unclear: it fails, and keeps its slot until it is stopped."""
    rig.executor.obedient = False
    with pytest.raises(ExecutorError, match="its sandbox did not let run") as caught:
        await rig.launched(await rig.claimed(sandboxed=True))
    assert caught.value.permanent


async def test_a_sandbox_that_is_not_there_fails_the_launch_before_its_executor(rig: Rig) -> None:
    rig.sandboxes = {}
    ours = await rig.claimed(sandboxed=True)
    with pytest.raises(ExecutorError, match="there is no sandbox bubblewrap") as caught:
        await rig.launched(ours)
    assert (caught.value.code, caught.value.permanent) == ("unsupported", True)
    assert rig.executor.orders == []


# C-16, C-43
@pytest.mark.parametrize("held", [True, False], ids=["held", "without a holder"])
async def test_a_container_that_takes_three_leases_to_make_runs_only_under_a_holder(
    rig: Rig, daemon: Daemon, *, held: bool
) -> None:
    bench, ticks, watch = rig.bench, Ticks(), Ticks()
    ours = await rig.claimed(sandboxed=True)
    fence = ours.execution.fence

    async def renew(ours: Fence) -> None:
        await bench.do(lambda tx, now: tx.executions.renew(ours, now=now, lease=LEASE))

    keep = Keep(
        ticks=ticks, watch=watch, renew=renew, now=bench.clock.now, length=LEASE, until=ours.execution.lease_until
    )
    body = rig.launched(ours)
    task = await beside(hold(fence, keep, body) if held else body, daemon.asked)
    for _ in range(9):
        bench.clock.advance(LEASE // 3)
        if held:
            await ticks.beat()
    daemon.pulled.set()
    if held:
        await task
        assert daemon.states() == [State.RUNS]
    else:
        with pytest.raises(StaleEpochError):
            await task
        assert daemon.states() == [State.REMOVED]
