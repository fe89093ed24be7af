"""The steps of a launch that are written down, each under the fence."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from bot.domain.event import Routing
from bot.domain.execution import Fence, Phase
from bot.domain.result import Outcome, Result
from bot.domain.segment import Invoke
from bot.domain.turn import Turn
from bot.domain.work import WorkState
from bot.errors import ExecutorError, StaleEpochError
from bot.scheduler.cancel import cancel
from bot.scheduler.launch import RECOVERY_LIMIT, persist_recovery
from bot.scheduler.observe import postpone_publishing
from tests.factories import LEASE
from tests.scheduler.bench import Bench

DIGEST = secrets.token_hex(8)

Write = Callable[[Bench, Fence], Awaitable[object]]
Loss = Callable[[Bench, Fence], Awaitable[object]]


# C-47
@pytest.mark.parametrize("isolated", [False, True])
async def test_what_is_about_to_be_called_is_written_before_the_call(bench: Bench, *, isolated: bool) -> None:
    claimed = await bench.claimed()
    await bench.begin(claimed.execution.fence, token=DIGEST, isolated=isolated)
    stored = await bench.execution(claimed.execution.id)
    assert (stored.segments.open.invoke, stored.segments.open.isolated) == (Invoke.CALLED, isolated)
    assert stored.phase is Phase.LAUNCHING


# C-52
async def test_a_launch_is_confirmed_only_with_something_to_find_the_run_again_by(bench: Bench) -> None:
    claimed = await bench.claimed()
    fence = claimed.execution.fence
    await bench.begin(fence)
    with pytest.raises(ExecutorError, match="find it again") as caught:
        await bench.confirm(fence)
    assert caught.value.permanent
    assert (await bench.execution(fence.execution)).phase is Phase.LAUNCHING
    await bench.persist(fence)
    assert (await bench.confirm(fence)).phase is Phase.RUNNING


# C-54
async def test_a_launch_that_was_not_confirmed_fails_and_keeps_its_slot(bench: Bench) -> None:
    claimed = await bench.claimed()
    await bench.begin(claimed.execution.fence)
    work = await bench.fail(claimed.execution.fence, stopped=False, permanent=True)
    assert work.state is WorkState.EXHAUSTED
    assert (await bench.execution(claimed.execution.id)).slot


# C-53
@pytest.mark.parametrize(
    "metadata",
    [{"big": "x" * RECOVERY_LIMIT}, {"no": {1, 2}}, {"no": float("nan")}],
    ids=["too large", "no JSON", "no number"],
)
async def test_recovery_metadata_is_bounded_and_json(bench: Bench, metadata: Mapping[str, Any]) -> None:
    claimed = await bench.claimed()
    with pytest.raises(ExecutorError, match="recovery metadata") as caught:
        await bench.do(lambda tx, now: persist_recovery(tx, claimed.execution.fence, metadata, now))
    assert caught.value.permanent
    assert (await bench.execution(claimed.execution.id)).recovery is None


# C-53 (negative control)
async def test_recovery_metadata_comes_back_as_it_was(bench: Bench) -> None:
    claimed = await bench.claimed()
    metadata = {"pid": 4711, "nested": {"list": [1, "ü", None, 0.5]}}
    await bench.do(lambda tx, now: persist_recovery(tx, claimed.execution.fence, metadata, now))
    assert (await bench.execution(claimed.execution.id)).recovery == metadata


async def _begins(bench: Bench, fence: Fence) -> object:
    return await bench.begin(fence)


async def _persists(bench: Bench, fence: Fence) -> object:
    await bench.persist(fence)
    return None


async def _confirms(bench: Bench, fence: Fence) -> object:
    return await bench.confirm(fence)


async def _tells_its_result(bench: Bench, fence: Fence) -> object:
    return await bench.result(fence, Result(ok=True))


async def _postpones(bench: Bench, fence: Fence) -> object:
    until = bench.clock.now()
    return await bench.do(lambda tx, now: postpone_publishing(tx, fence, until=until, reason="", now=now))


async def _finishes(bench: Bench, fence: Fence) -> object:
    return await bench.finish(fence, Outcome.COMPLETED)


async def _fails(bench: Bench, fence: Fence) -> object:
    return await bench.finish(fence, Outcome.FAILED)


async def _renews(bench: Bench, fence: Fence) -> object:
    return await bench.do(lambda tx, now: tx.executions.renew(fence, now=now, lease=LEASE))


async def _lapses(bench: Bench, _: Fence) -> object:
    return bench.clock.advance(LEASE)


async def _is_released(bench: Bench, fence: Fence) -> object:
    return await bench.do(lambda tx, now: tx.executions.release(fence, now=now, due=now))


async def _is_cancelled(bench: Bench, fence: Fence) -> object:
    execution = await bench.execution(fence.execution)
    return await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))


async def _is_taken_over(bench: Bench, fence: Fence) -> object:
    return await bench.recovered(fence.execution)


async def _has_ended(bench: Bench, fence: Fence) -> object:
    return await bench.fail(fence)


WRITES = [_begins, _persists, _confirms, _tells_its_result, _postpones, _finishes, _fails, _renews]


# C-73
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("lost", [_lapses, _is_released, _is_cancelled, _is_taken_over, _has_ended])
async def test_nothing_is_written_without_the_lease(bench: Bench, lost: Loss, write: Write) -> None:
    execution = await bench.running()
    await bench.event("unrouted", routing=Routing.PENDING, keys=("item:1/1",))
    await lost(bench, execution.fence)
    before = await bench.execution(execution.id), await bench.work(execution.work)

    with pytest.raises(StaleEpochError):
        await write(bench, execution.fence)

    assert (await bench.execution(execution.id), await bench.work(execution.work)) == before


# C-73 (negative control)
@pytest.mark.parametrize("write", WRITES)
async def test_the_holder_of_the_lease_writes(bench: Bench, write: Write) -> None:
    execution = await bench.running()
    await write(bench, execution.fence)


# C-121
async def test_what_a_run_declares_counts_only_once_its_end_was_seen(bench: Bench) -> None:
    execution = await bench.running()
    await bench.begin(execution.fence, token=DIGEST)
    said = [Turn(status="building"), Turn(status="review", comment="please look")]
    for turn in said:
        assert await bench.declare(DIGEST, turn)

    stored = await bench.execution(execution.id)
    assert (stored.phase, stored.result, stored.slot) == (Phase.RUNNING, None, True)
    assert (await bench.work(execution.work)).state is WorkState.RUNNING

    observed = await bench.result(execution.fence, Result(ok=True))
    assert observed.result is not None
    assert observed.result.turn == said[-1], "the last word wins"


# C-121
async def test_a_turn_in_the_result_itself_counts_before_a_declared_one(bench: Bench) -> None:
    execution = await bench.running()
    await bench.begin(execution.fence, token=DIGEST)
    await bench.declare(DIGEST, Turn(status="done"))
    observed = await bench.result(execution.fence, Result(ok=False, turn=Turn(status="help")))
    assert observed.result is not None
    assert observed.result.turn == Turn(status="help")


# C-121
async def test_only_the_token_of_a_live_launch_declares(bench: Bench) -> None:
    execution = await bench.running()

    async def declares(token: str) -> bool:
        return await bench.declare(token, Turn(status="done"))

    await bench.begin(execution.fence, token=DIGEST)
    assert [await declares(token) for token in ("", "foreign", DIGEST)] == [False, False, True]
    bench.clock.advance(LEASE)
    assert not await declares(DIGEST), "its lease has lapsed"
    taken = await bench.recover(execution.id)
    assert taken is not None
    assert await declares(DIGEST), "an adopted run keeps its token"
    await bench.result(taken.execution.fence, Result(ok=True))
    assert not await declares(DIGEST), "its end was seen"
