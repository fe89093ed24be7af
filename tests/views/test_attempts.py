"""What is told of attempts that have ended is what the store knows of them."""

from __future__ import annotations

from bot.clock import SECOND
from bot.domain.result import Outcome, Result
from tests.scheduler.bench import Bench
from tests.views.test_waiting import view


async def test_an_attempt_is_told_when_it_has_ended_with_its_time_and_what_it_used(bench: Bench) -> None:
    running = await bench.running()
    work = await bench.work(running.work)
    assert (await view(bench, work)).log == ()
    bench.clock.advance(30 * SECOND)
    result = Result(ok=False, summary="no network", units={"usd": 0.4, "minutes": 2.0})
    await bench.result(running.fence, result)
    await bench.fail(running.fence)
    (attempt,) = (await view(bench, work)).log
    assert (attempt.number, attempt.outcome, attempt.reason) == (1, Outcome.FAILED, "it broke")
    assert attempt.ended_at - attempt.started_at == 30 * SECOND
    assert attempt.units == {"usd": 0.4}
