"""The one gate for writes to the tracker."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bot.clock import HOUR, MINUTE, SECOND
from bot.errors import RateLimitedError, TrackerUnavailableError
from projectors.limiter import Limiter
from projectors.pace import GITHUB, UNPACED
from tests.clock import FakeClock


@pytest.fixture
def limiter(clock: FakeClock) -> Limiter:
    return Limiter(clock=clock, pace=replace(GITHUB, jitter=0.0))


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


async def written(limiter: Limiter, clock: FakeClock, most: int, *, creates: bool) -> int:
    """Write until the limiter asks to wait, and return how often that was."""
    for count in range(most):
        try:
            await limiter.write(answer, creates=creates)
        except RateLimitedError:
            return count
        clock.advance(SECOND // 100)
    return most


# ag-I03
async def test_a_large_number_of_writes_is_a_second_apart_and_a_handful_is_not(
    limiter: Limiter, clock: FakeClock
) -> None:
    assert await written(limiter, clock, 100, creates=False) == 20
    with pytest.raises(RateLimitedError) as caught:
        await limiter.write(answer)
    clock.advance(caught.value.retry_after)
    assert await limiter.write(answer) == "done"
    clock.advance(HOUR)
    count = 0
    for _ in range(600):
        count += await written(limiter, clock, 1, creates=False)
        clock.advance(SECOND // 10)
    assert 60 <= count <= 60 + 20 + 6


# gh-R-03, gh-R-04
async def test_creations_have_limits_of_their_own_for_a_minute_and_an_hour(limiter: Limiter, clock: FakeClock) -> None:
    begun, made = clock.now(), 0
    minute: list[int] = []
    while clock.now() < begun + HOUR:
        done = await written(limiter, clock, 1, creates=True)
        made += done
        minute += [clock.now()] * done
        assert sum(time > clock.now() - MINUTE for time in minute) <= 80
        clock.advance(SECOND)
    assert made == 500
    # What nobody is notified of goes on.
    assert await limiter.write(answer) == "done"


# gh-R-07
async def test_a_wait_that_the_tracker_asks_for_is_only_ever_made_longer(clock: FakeClock) -> None:
    waits = []
    for _ in range(50):
        limiter = Limiter(clock=clock)
        with pytest.raises(RateLimitedError):
            await limiter.write(limited)
        with pytest.raises(RateLimitedError) as caught:
            await limiter.write(answer)
        waits.append(caught.value.retry_after)
    assert min(waits) >= MINUTE
    assert max(waits) <= MINUTE * 1.1
    assert len(set(waits)) > 1


async def test_who_is_limited_right_after_a_wait_waits_longer_each_time(limiter: Limiter, clock: FakeClock) -> None:
    waits = []
    for _ in range(8):
        with pytest.raises(RateLimitedError):
            await limiter.write(limited)
        with pytest.raises(RateLimitedError) as caught:
            await limiter.write(answer)
        waits.append(caught.value.retry_after // MINUTE)
        clock.advance(caught.value.retry_after)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    await limiter.write(answer)
    with pytest.raises(RateLimitedError):
        await limiter.write(limited)
    with pytest.raises(RateLimitedError) as caught:
        await limiter.write(answer)
    assert caught.value.retry_after == MINUTE


async def test_a_tracker_without_limits_is_written_to_at_any_pace(clock: FakeClock) -> None:
    limiter = Limiter(clock=clock, pace=UNPACED)
    assert await written(limiter, clock, 1_000, creates=True) == 1_000
