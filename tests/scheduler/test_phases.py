"""The trail of a launch as it is stored: bounded, fenced, and never the reason why a launch fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.clock import SECOND, Millis
from bot.domain.result import Outcome
from bot.domain.segment import Segment, Segments
from bot.domain.steps import MAX_LAUNCH_PHASES, LaunchPhase, LaunchStep, StepOutcome, begun, ended
from bot.errors import ExecutorError, StaleEpochError, StorageError
from bot.scheduler.cancel import cancel
from bot.scheduler.launch import pin_sandbox
from bot.scheduler.phases import begin_step, end_step, recorded, unrecorded
from bot.storage.contract import Tx
from tests.factories import LEASE
from tests.scheduler.bench import Bench


# C-43
async def test_a_trail_is_bounded(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    trail = recorded(fence, bench.do)
    for _ in range(MAX_LAUNCH_PHASES + 3):
        async with trail(LaunchStep.WORKSPACE):
            bench.clock.advance(SECOND)
    kept = (await bench.execution(fence.execution)).segments.open.launch
    assert len(kept) == MAX_LAUNCH_PHASES
    assert all(each.outcome is StepOutcome.OK for each in kept)
    assert kept[-1].ended_at == kept[0].started_at + MAX_LAUNCH_PHASES * SECOND


# C-44
async def test_steps_within_steps_end_each_for_itself(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    trail = recorded(fence, bench.do)

    async def launch() -> None:
        async with trail(LaunchStep.EXECUTOR):
            async with trail(LaunchStep.SANDBOX_PLAN):
                bench.clock.advance(SECOND)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await launch()
    outer, inner = (await bench.execution(fence.execution)).segments.open.launch
    assert (outer.step, outer.outcome) == (LaunchStep.EXECUTOR, StepOutcome.FAILED)
    assert (inner.step, inner.outcome) == (LaunchStep.SANDBOX_PLAN, StepOutcome.OK)


# C-44
@pytest.mark.parametrize("write", [begin_step, end_step], ids=["begin", "end"])
async def test_a_step_is_written_under_the_lease_only(bench: Bench, write: Callable[..., None]) -> None:
    fence = (await bench.claimed()).execution.fence
    told: dict[str, Any] = {"step": LaunchStep.EXECUTOR}
    if write is end_step:
        told["outcome"] = StepOutcome.OK
    await bench.do(lambda tx, now: write(tx, fence, **told, now=now))
    bench.clock.advance(LEASE)
    with pytest.raises(StaleEpochError):
        await bench.do(lambda tx, now: write(tx, fence, **told, now=now))


# C-45
@pytest.mark.parametrize("fault", [StaleEpochError, StorageError])
async def test_a_trail_that_cannot_be_written_raises_nothing(fault: type[Exception], bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence

    async def refuse(_change: Callable[[Tx, Millis], object]) -> object:
        raise fault

    reached = False
    async with recorded(fence, refuse)(LaunchStep.ENVIRONMENT):
        reached = True
    assert reached
    assert (await bench.execution(fence.execution)).segments.open.launch == ()


# C-45 (negative control)
async def test_what_happens_inside_a_step_is_raised(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    for trail in (recorded(fence, bench.do), unrecorded):
        with pytest.raises(StaleEpochError):
            async with trail(LaunchStep.EXECUTOR):
                raise StaleEpochError


# C-44, C-50
@pytest.mark.parametrize("end", ["recovery", "the end of the attempt", "cancellation"])
async def test_a_step_under_way_is_cut_off_with_its_segment(bench: Bench, end: str) -> None:
    claimed = await bench.claimed()
    fence = claimed.execution.fence
    await bench.do(lambda tx, now: begin_step(tx, fence, LaunchStep.WORKSPACE, now))
    if end == "recovery":
        await bench.recovered(fence.execution)
    elif end == "cancellation":
        await bench.do(lambda tx, now: cancel(tx, claimed.work.id, by="ada", reason="no", now=now))
    else:
        await bench.finished(fence, Outcome.FAILED)
    first = (await bench.execution(fence.execution)).segments.kept[0]
    (phase,) = first.launch
    assert (phase.outcome, phase.ended_at) == (StepOutcome.CANCELLED, first.ended_at)


# C-80
async def test_one_launch_pins_one_sandbox_under_its_lease(bench: Bench) -> None:
    fence = (await bench.claimed()).execution.fence
    await bench.do(lambda tx, now: pin_sandbox(tx, fence, "plan-1", now))
    with pytest.raises(ExecutorError, match="pinned already"):
        await bench.do(lambda tx, now: pin_sandbox(tx, fence, "plan-2", now))
    bench.clock.advance(LEASE)
    with pytest.raises(StaleEpochError):
        await bench.do(lambda tx, now: pin_sandbox(tx, fence, "plan-2", now))
    assert (await bench.execution(fence.execution)).segments.open.sandbox == "plan-1"


# C-43
def test_a_segment_comes_back_from_its_document_with_its_launch() -> None:
    launch = (
        LaunchPhase(step=LaunchStep.WORKSPACE, started_at=Millis(1), ended_at=Millis(2), outcome=StepOutcome.FAILED),
        LaunchPhase(step=LaunchStep.SANDBOX_PIN, started_at=Millis(3)),
    )
    segments = Segments().begin(Segment(started_at=Millis(1), launch=launch, sandbox="plan"))
    assert Segments.from_document(segments.to_document()) == segments


def test_a_segment_without_a_launch_in_its_document_is_read() -> None:
    document = Segment(started_at=Millis(1)).to_document()
    del document["launch"], document["sandbox"]
    assert Segment.from_document(document) == Segment(started_at=Millis(1))


# C-44
def test_of_two_phases_of_one_step_the_newer_one_ends_first() -> None:
    step = LaunchStep.SANDBOX_CREATE
    trail = begun(begun((), step, Millis(1)), step, Millis(2))
    outer, inner = ended(trail, step, StepOutcome.OK, Millis(3))
    assert (outer.ended_at, inner.ended_at) == (None, 3)
    assert ended((outer, inner), step, StepOutcome.OK, Millis(4))[0].ended_at == 4
    assert ended(trail, LaunchStep.EXECUTOR, StepOutcome.OK, Millis(3)) == trail, "what has not begun does not end"
