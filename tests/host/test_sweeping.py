"""When which repository is swept."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from bot.clock import HOUR, MINUTE
from bot.errors import CallsSpentError, RateLimitedError, TrackerMissingError, TrackerUnavailableError
from bot.host.calls import Calls
from bot.host.sweeping import SweepPass
from bot.metrics import REGISTRY
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


def allowed(clock: FakeClock, most: int) -> Calls:
    return Calls(reading="test", most=most, window=2 * MINUTE, clock=clock)


def sweeping(
    broom: Broom,
    clock: FakeClock,
    woken: list[None] | None = None,
    *,
    calls: Calls | None = None,
    asked: list[str] | None = None,
) -> SweepPass:
    async def latest() -> str:
        return asked[-1] if asked else ""

    return SweepPass(
        sweep=cast("Sweep", broom),
        clock=clock,
        repositories=(A, B),
        interval=2 * MINUTE,
        calls=calls or allowed(clock, 40),
        asked=latest,
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


class Greedy:
    """Makes so many calls for each repository, and goes on where it stopped."""

    def __init__(self, calls: Calls, wanted: dict[str, int]) -> None:
        self.calls = calls
        self.wanted = dict(wanted)
        self.made = dict.fromkeys(wanted, 0)

    async def run(self, name: str) -> int:
        while self.wanted[name]:
            self.calls.spend()
            self.made[name] += 1
            self.wanted[name] -= 1
        return 0


def greedy(clock: FakeClock, most: int, wanted: dict[str, int]) -> tuple[SweepPass, Greedy]:
    calls = allowed(clock, most)
    reads = Greedy(calls, wanted)
    return replace(sweeping(Broom(), clock, calls=calls), sweep=reads, repositories=tuple(wanted)), reads


# gh-R-06
async def test_a_large_repository_takes_no_other_ones_share_and_gets_what_they_leave(clock: FakeClock) -> None:
    sweep, reads = greedy(clock, 40, {A: 100, B: 5})
    await sweep.run()
    assert reads.made == {A: 20, B: 5}
    clock.advance(2 * MINUTE)
    await sweep.run()
    assert reads.made == {A: 40, B: 5}


async def test_what_a_small_repository_leaves_is_there_for_those_after_it(clock: FakeClock) -> None:
    sweep, reads = greedy(clock, 40, {A: 5, B: 100})
    await sweep.run()
    assert reads.made == {A: 5, B: 35}


async def test_whoever_was_not_reached_comes_first_when_there_are_calls_again(clock: FakeClock) -> None:
    names = [f"acme/{number}" for number in range(4)]
    sweep, reads = greedy(clock, 20, dict.fromkeys(names, 15))
    await sweep.run()
    assert list(reads.made.values()) == [10, 10, 0, 0], "a share with which nothing can be done is no share"
    await sweep.run()
    assert list(reads.made.values()) == [10, 10, 0, 0]
    clock.advance(2 * MINUTE)
    await sweep.run()
    assert list(reads.made.values()) == [10, 10, 10, 10]


async def test_calls_that_found_nothing_changed_are_free(clock: FakeClock) -> None:
    calls = allowed(clock, 10)
    assert calls.share(among=1)
    for _ in range(100):
        calls.spend()
        calls.give_back()
    for _ in range(10):
        calls.spend()
    with pytest.raises(CallsSpentError):
        calls.spend()


async def test_a_clock_that_is_set_back_does_not_keep_the_bot_from_looking(clock: FakeClock) -> None:
    calls = allowed(clock, 10)
    assert calls.share(among=1)
    for _ in range(10):
        calls.spend()
    assert not calls.share(among=1)
    clock.advance(-HOUR)
    assert calls.share(among=1)


async def test_what_was_not_reached_shows_in_the_metrics_until_it_is(clock: FakeClock) -> None:
    def behind() -> float | None:
        return REGISTRY.get_sample_value("trackside_sweep_behind", {"reading": "test"})

    sweep, _ = greedy(clock, 20, {A: 15, B: 2})
    await sweep.run()
    assert behind() == 1
    clock.advance(2 * MINUTE)
    await sweep.run()
    assert behind() == 0


async def test_what_was_swept_is_due_at_once_when_the_bot_can_reach_more(clock: FakeClock) -> None:
    broom, asked = Broom(), list[str]()
    sweep = sweeping(broom, clock, asked=asked)
    await sweep.run()
    asked.append("delivery-1")
    for _ in range(2):
        await sweep.run()
    assert broom.swept == [A, B] * 2
