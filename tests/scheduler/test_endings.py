"""However a Work ends, what is stored says why, by whom, and under which epoch its last attempt ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.execution import Execution
from bot.domain.result import Outcome
from bot.domain.retry import RetryPolicy
from bot.domain.work import BlockedReason, WorkState
from bot.ids import EventId, TimerId
from bot.scheduler.cancel import cancel, complete_elsewhere
from bot.scheduler.timeout import time_out
from bot.storage.contract import Tx
from tests.factories import TIMEOUT, make_binding, make_event, make_work
from tests.scheduler.bench import Bench

ONCE = RetryPolicy(delays=())


async def _completes(bench: Bench, execution: Execution) -> None:
    await bench.finished(execution.fence, Outcome.COMPLETED, summary="all is done")


async def _fails(bench: Bench, execution: Execution) -> None:
    await bench.fail(execution.fence)


async def _times_out(bench: Bench, execution: Execution) -> None:
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=2 * TIMEOUT))
    bench.clock.advance(TIMEOUT)
    await bench.do(lambda tx, now: time_out(tx, execution.fence, timer=TimerId("tmr-late"), now=now))


async def _is_cancelled(bench: Bench, execution: Execution) -> None:
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no need", now=now))


async def _is_merged(bench: Bench, execution: Execution) -> None:
    await bench.do(lambda tx, now: complete_elsewhere(tx, execution.work, by="ada", reason="merged", now=now))


End = Callable[[Bench, Execution], Awaitable[None]]


# gh-I-04
@pytest.mark.parametrize(
    ("end", "terminal", "state", "why"),
    [
        (_completes, False, WorkState.COMPLETED, "all is done"),
        (_fails, False, WorkState.EXHAUSTED, "it broke"),
        (_fails, True, WorkState.FAILED, "it broke"),
        (_times_out, True, WorkState.FAILED, "timed out after 60 min"),
        (_is_cancelled, False, WorkState.CANCELLED, "no need"),
        (_is_merged, False, WorkState.COMPLETED, "merged"),
    ],
)
async def test_an_end_is_stored_with_its_reason_its_actor_and_its_epoch(
    bench: Bench, end: End, *, terminal: bool, state: WorkState, why: str
) -> None:
    execution = await bench.running(binding=make_binding(retry=ONCE, terminal=terminal))
    taken = (await bench.recovered(execution.id)).execution
    await end(bench, taken)
    work, last = await bench.work(execution.work), await bench.execution(execution.id)
    assert work.state is state
    assert (last.summary, last.owner, last.epoch) == (why, "host-b", 2)
    assert last.outcome is not None
    assert last.ended_at is not None
    by_a_person = end in {_is_cancelled, _is_merged}
    assert (work.ended_by, work.reason) == (("ada", why) if by_a_person else (None, "" if end is _completes else why))
    if state in {WorkState.EXHAUSTED, WorkState.FAILED}:
        assert work.blocked is BlockedReason.RETRIES_EXHAUSTED


# gh-Z-12
@pytest.mark.parametrize("name", ["id", "scope", "playbook", "item"])
def test_a_work_without_an_identity_is_none(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must not be empty$"):
        replace(make_work(), **changed(name))


# gh-Z-12
@pytest.mark.parametrize("name", ["id", "source", "type", "natural_key"])
def test_an_event_without_an_identity_is_none(name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} must not be empty$"):
        make_event(**{name: ""})


# gh-Z-12
@pytest.mark.parametrize("name", ["id", "work", "scope", "owner", "trigger"])
async def test_an_attempt_without_an_identity_is_none(bench: Bench, name: str) -> None:
    execution = await bench.running()
    with pytest.raises(ValueError, match=f"^{name} must not be empty$"):
        replace(execution, **changed(name))


def changed(name: str) -> dict[str, Any]:
    return {name: ""}


# gh-Z-10, gh-Z-12
async def test_an_attempt_is_counted_by_the_claim_itself(bench: Bench) -> None:
    """A host that dies right after it cannot start the same Work for ever without being counted."""
    work = await bench.ready()
    claimed = await bench.claim(work)
    assert (await bench.work(work.id)).attempts == claimed.execution.number == 1
    assert await bench.see(lambda tx: _started(tx, claimed.execution.trigger)) == 1


def _started(tx: Tx, trigger: EventId) -> int:
    return sum(each.trigger == trigger for each in tx.executions.live())
