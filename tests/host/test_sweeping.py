"""When which repository is swept."""

from __future__ import annotations

from typing import cast

from bot.clock import HOUR, MINUTE
from bot.errors import RateLimitedError, TrackerMissingError, TrackerUnavailableError
from bot.host.sweeping import SweepPass
from tests.clock import FakeClock
from webhooks.sweep import Sweep

A, B = "acme/a", "acme/b"


class Broom:
    """Sweeps, finds what it is told to find, and writes down where it was."""

    def __init__(self) -> None:
        self.swept: list[str] = []
        self.outcome: dict[str, int | Exception] = {}

    async def run(self, name: str) -> int:
        self.swept.append(name)
        found = self.outcome.get(name, 0)
        if isinstance(found, Exception):
            raise found
        return found


def sweeping(broom: Broom, clock: FakeClock, woken: list[None] | None = None) -> SweepPass:
    return SweepPass(
        sweep=cast("Sweep", broom),
        clock=clock,
        repositories=(A, B),
        interval=2 * MINUTE,
        wake=lambda: (woken if woken is not None else []).append(None),
    )


async def test_every_repository_is_swept_at_the_start_and_then_now_and_again(clock: FakeClock) -> None:
    # ag-B04, ag-B11
    broom = Broom()
    sweep = sweeping(broom, clock)
    for _ in range(5):
        await sweep.run()
        clock.advance(MINUTE)
    assert broom.swept == [A, B] * 3


async def test_news_wake_the_other_loops_and_silence_does_not(clock: FakeClock) -> None:
    broom, woken = Broom(), list[None]()
    sweep = sweeping(broom, clock, woken)
    await sweep.run()
    assert woken == []
    broom.outcome[B] = 3
    clock.advance(2 * MINUTE)
    await sweep.run()
    assert woken == [None]


async def test_a_repository_that_cannot_be_read_stops_none_of_the_others(clock: FakeClock) -> None:
    # gh-I-02
    broom = Broom()
    broom.outcome[A] = TrackerMissingError("no such repository")
    sweep = sweeping(broom, clock)
    await sweep.run()
    broom.outcome[A] = TrackerUnavailableError("down")
    clock.advance(2 * MINUTE)
    await sweep.run()
    assert broom.swept == [A, B, A, B]


async def test_a_limit_is_waited_out(clock: FakeClock) -> None:
    broom = Broom()
    broom.outcome[A] = RateLimitedError(status=403, retry_after=HOUR)
    sweep = sweeping(broom, clock)
    await sweep.run()
    clock.advance(HOUR - 1)
    await sweep.run()
    assert broom.swept.count(A) == 1
    clock.advance(1)
    await sweep.run()
    assert broom.swept.count(A) == 2


async def test_a_short_limit_does_not_hasten_the_next_sweep(clock: FakeClock) -> None:
    broom = Broom()
    broom.outcome[A] = RateLimitedError(status=403, retry_after=1)
    sweep = sweeping(broom, clock)
    await sweep.run()
    clock.advance(MINUTE)
    await sweep.run()
    assert broom.swept.count(A) == 1
