"""The one gate for writes to the tracker."""

from __future__ import annotations

import asyncio

import pytest

from bot.clock import HOUR, MINUTE
from bot.errors import RateLimitedError, TrackerUnavailableError
from projectors.limiter import Limiter
from tests.clock import FakeClock


@pytest.fixture
def limiter(clock: FakeClock) -> Limiter:
    return Limiter(clock=clock)


async def answer() -> str:
    return "done"


async def limited() -> str:
    raise RateLimitedError(status=403, retry_after=MINUTE)


async def down() -> str:
    raise TrackerUnavailableError


async def test_what_the_write_returns_is_returned(limiter: Limiter) -> None:
    assert await limiter.write(answer) == "done"


async def test_one_write_at_a_time_is_let_through_in_order(limiter: Limiter) -> None:
    seen: list[str] = []
    go_on = asyncio.Event()

    async def slow() -> None:
        seen.append("slow begins")
        await go_on.wait()
        seen.append("slow ends")

    async def quick() -> None:
        seen.append("quick")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(limiter.write(slow))
        tasks.create_task(limiter.write(quick))
        tasks.create_task(_soon(go_on))
    assert seen == ["slow begins", "slow ends", "quick"]


async def _soon(event: asyncio.Event) -> None:
    for _ in range(3):
        await asyncio.sleep(0)
    event.set()


async def test_nothing_is_written_while_the_tracker_asks_to_wait(limiter: Limiter, clock: FakeClock) -> None:
    # gh-R-04
    asked = 0

    async def count() -> None:
        nonlocal asked
        asked += 1

    with pytest.raises(RateLimitedError):
        await limiter.write(limited)
    clock.advance(MINUTE - 1)
    with pytest.raises(RateLimitedError) as caught:
        await limiter.write(count)
    assert (asked, caught.value.retry_after) == (0, 1)
    clock.advance(1)
    await limiter.write(count)
    assert asked == 1


async def test_another_failure_keeps_nobody_from_writing(limiter: Limiter) -> None:
    with pytest.raises(TrackerUnavailableError):
        await limiter.write(down)
    assert await limiter.write(answer) == "done"


async def test_a_write_that_is_given_up_lets_the_next_one_through(limiter: Limiter) -> None:
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    hanging = asyncio.create_task(limiter.write(hang))
    await begun.wait()
    hanging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await hanging
    assert await limiter.write(answer) == "done"


async def test_a_clock_that_is_set_back_makes_no_wait_longer(limiter: Limiter, clock: FakeClock) -> None:
    with pytest.raises(RateLimitedError):
        await limiter.write(limited)
    clock.advance(-HOUR)
    assert await limiter.write(answer) == "done"
