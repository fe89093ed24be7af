"""Runs that stop inside their turn, on the bench."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.domain.execution import Execution, Fence
from bot.domain.result import Result
from bot.domain.timer import Timer, TimerKind
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Dependency, Suspension
from bot.domain.work import Work
from bot.ids import TimerId, WorkId
from bot.scheduler.finish import Finished
from bot.scheduler.park import Parked, park
from tests.factories import LEASE
from tests.scheduler.bench import Bench

FOR_COMMENT = Awaited(kinds=("comment",))


def on(key: str, *statuses: str) -> Awaited:
    """Return a wait for a turn of other Work."""
    return Awaited(dependencies=(Dependency(key=key, statuses=statuses),))


def suspended(awaited: Awaited = FOR_COMMENT, *, session: Mapping[str, object] | None = None, **result: Any) -> Result:
    """Return what a run says that stops inside its turn."""
    return Result(ok=True, suspension=Suspension(awaited=awaited, session=session or {"id": "s-1"}), **result)


async def try_park(bench: Bench, fence: Fence, result: Result, status: str | None = "review") -> Parked | Finished:
    timer = TimerId(bench.ids.new("tmr"))
    return await bench.do(lambda tx, now: park(tx, fence, result, status=status, timer=timer, now=now))


async def parked(bench: Bench, execution: Execution, awaited: Awaited = FOR_COMMENT, **result: Any) -> Work:
    """Park a running attempt, and return its Work."""
    answer = await try_park(bench, execution.fence, suspended(awaited, **result))
    assert isinstance(answer, Parked)
    return answer.work


async def work_on(bench: Bench, execution: Execution, milliseconds: int) -> None:
    """Let a run go on for a while under its lease, of which a whole length is left then."""
    lease = milliseconds + LEASE
    await bench.do(lambda tx, now: tx.executions.renew(execution.fence, now=now, lease=lease))
    bench.clock.advance(milliseconds)


async def resumed(bench: Bench, work: Work, natural_key: str = "comment") -> Execution:
    """Wake a parked Work by a comment, and claim it."""
    return (await bench.claim(await bench.comment(work.id, natural_key))).execution


async def say(bench: Bench, execution: Execution, status: str = "done") -> None:
    """Park a running attempt with a word, which publishes it."""
    await parked(bench, execution, Awaited(kinds=("never",)), turn=Turn(status=status))


async def alarm(bench: Bench, work: WorkId) -> Timer | None:
    """Return the timer that ends the wait of a Work."""
    return await bench.see(lambda tx: tx.timers.of_work(work, TimerKind.WAIT))
