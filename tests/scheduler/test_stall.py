"""Launches that get nowhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from bot.clock import MINUTE
from bot.domain.execution import Execution, Phase
from bot.domain.result import Outcome, Result
from bot.domain.steps import LaunchStep, StepOutcome
from bot.errors import StaleEpochError
from bot.ids import TimerId
from bot.scheduler.finish import Finished
from bot.scheduler.phases import begin_step, end_step
from bot.scheduler.stall import end_stalled, stalled
from tests.factories import LEASE, TIMEOUT
from tests.scheduler.bench import Bench

ALLOWED = 10 * MINUTE
TIMER = TimerId("tmr-stall")


async def over(bench: Bench, execution: Execution) -> bool:
    now, seen = bench.clock.now(), await bench.execution(execution.id)
    return stalled(seen, allowed=ALLOWED, now=now)


async def keep(bench: Bench, execution: Execution) -> None:
    """Give an attempt a lease for long."""
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=TIMEOUT))


async def end(bench: Bench, execution: Execution) -> Finished | None:
    return await bench.do(lambda tx, now: end_stalled(tx, execution.fence, allowed=ALLOWED, timer=TIMER, now=now))


# gh-Z-14
async def test_each_step_of_a_launch_starts_its_time_anew(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    await keep(bench, execution)
    fence = execution.fence
    bench.clock.advance(ALLOWED - 1)
    assert not await over(bench, execution)
    await bench.do(lambda tx, now: begin_step(tx, fence, LaunchStep.WORKSPACE, now))
    bench.clock.advance(ALLOWED - 1)
    assert not await over(bench, execution)
    await bench.do(lambda tx, now: end_step(tx, fence, LaunchStep.WORKSPACE, StepOutcome.OK, now))
    bench.clock.advance(ALLOWED - 1)
    assert not await over(bench, execution)
    assert await end(bench, execution) is None, "it has got on"
    bench.clock.advance(1)
    assert await over(bench, execution)


async def _runs(bench: Bench, execution: Execution) -> None:
    await bench.run(execution.fence)


async def _publishes(bench: Bench, execution: Execution) -> None:
    await bench.run(execution.fence)
    await bench.result(execution.fence, Result(ok=True))


# gh-Z-14 (negative control)
@pytest.mark.parametrize("reach", [_runs, _publishes])
async def test_what_is_launched_has_no_such_deadline(
    bench: Bench, reach: Callable[[Bench, Execution], Awaitable[None]]
) -> None:
    execution = (await bench.claimed()).execution
    await keep(bench, execution)
    await reach(bench, execution)
    bench.clock.advance(ALLOWED)
    assert not await over(bench, execution)
    assert await end(bench, execution) is None


# gh-Z-14
async def test_an_adoption_that_gets_nowhere_ends_too(bench: Bench) -> None:
    execution = await bench.running()
    taken = (await bench.recovered(execution.id)).execution
    await keep(bench, taken)
    assert not await over(bench, taken), "it has the whole time, however long ago the launch was"
    bench.clock.advance(ALLOWED)
    ended = await end(bench, taken)
    assert ended is not None
    assert (ended.execution.phase, ended.execution.outcome, ended.execution.slot) == (
        Phase.FINISHED,
        Outcome.FAILED,
        True,
    )
    assert await bench.timer(ended.work.id) is not None, "it is tried again like any other failure"


# C-90
async def test_a_launch_that_stands_still_gives_nobody_authority(bench: Bench) -> None:
    execution = (await bench.claimed()).execution
    bench.clock.advance(max(ALLOWED, LEASE))
    with pytest.raises(StaleEpochError):
        await end(bench, execution)
