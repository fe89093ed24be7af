"""The loop and the wheels: what one failing pass does to the others, and how they end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from bot.clock import HOUR, SECOND
from bot.host.loop import Loop, Pass
from bot.host.wheels import Wheels
from bot.metrics import REGISTRY
from tests.clock import FakeClock

DAY = 24 * 60 * 60.0


class Recorder:
    """Passes that write down that they were run; those that are named ``broken`` fail."""

    def __init__(self, *broken: str) -> None:
        self.ran: list[str] = []
        self.broken = set(broken)

    def named(self, name: str) -> Pass:
        async def run() -> None:
            self.ran.append(name)
            if name in self.broken:
                raise RuntimeError(name)

        return Pass(name=name, run=run)

    def all(self, *names: str) -> list[Pass]:
        return [self.named(name) for name in names]


def doing(work: Callable[[], Awaitable[object]]) -> list[Pass]:
    return [Pass(name="work", run=work)]


def wheels(*loops: Loop, closing: Sequence[Callable[[], Awaitable[None]]] = ()) -> Wheels:
    return Wheels(loops=loops, closing=closing, woken=asyncio.Event())


async def test_passes_run_in_their_order(clock: FakeClock) -> None:
    recorder = Recorder()
    await Loop(passes=recorder.all("route", "recover", "start"), clock=clock).tick()
    assert recorder.ran == ["route", "recover", "start"]


async def test_a_pass_that_fails_stops_none_of_the_others(clock: FakeClock) -> None:
    # ag-G07, gh-Q-05
    recorder = Recorder("recover")
    loop = Loop(passes=recorder.all("route", "recover", "start"), clock=clock)
    before = _failures("recover")
    await loop.tick()
    assert recorder.ran == ["route", "recover", "start"]
    assert _failures("recover") == before + 1


def _failures(name: str) -> float:
    return REGISTRY.get_sample_value("trackside_pass_failures_total", {"name": name}) or 0.0


async def test_a_pass_that_fails_is_tried_again_later_and_later(clock: FakeClock) -> None:
    recorder = Recorder("route")
    loop = Loop(passes=recorder.all("route", "start"), clock=clock)
    tries = []
    for second in range(16):
        before = recorder.ran.count("route")
        await loop.tick()
        if recorder.ran.count("route") > before:
            tries.append(second)
        clock.advance(SECOND)
    assert tries == [0, 1, 3, 7, 15]
    assert recorder.ran.count("start") == 16


async def test_the_pause_between_tries_is_a_minute_at_most(clock: FakeClock) -> None:
    recorder = Recorder("route")
    loop = Loop(passes=recorder.all("route"), clock=clock)
    for count in range(1, 10):
        await loop.tick()
        assert recorder.ran.count("route") == count
        clock.advance(60 * SECOND)


async def test_a_pass_that_works_again_is_run_at_every_turn_again(clock: FakeClock) -> None:
    recorder = Recorder("route")
    loop = Loop(passes=recorder.all("route"), clock=clock)
    await loop.tick()
    await loop.tick()
    assert recorder.ran == ["route"]
    recorder.broken.clear()
    clock.advance(SECOND)
    for _ in range(3):
        await loop.tick()
    assert recorder.ran == ["route"] * 4
    recorder.broken.add("route")
    clock.advance(60 * SECOND)
    await loop.tick()
    clock.advance(SECOND)
    await loop.tick()
    assert recorder.ran.count("route") == 6, "the pauses begin anew"


async def test_each_pass_is_told_once_it_was_run(clock: FakeClock) -> None:
    told: list[str] = []
    loop = Loop(passes=Recorder("b").all("a", "b"), clock=clock, after=told.append)
    await loop.tick()
    await loop.tick()
    assert told == ["a", "b", "a"]


async def test_a_wake_turns_the_wheel_at_once(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.host.loop.IDLE", DAY)
    stop, turned = asyncio.Event(), asyncio.Queue[None]()
    loop = Loop(passes=doing(lambda: turned.put(None)), clock=clock)
    running = asyncio.create_task(loop.run(stop))
    async with asyncio.timeout(30):
        await turned.get()
        loop.wake()
        await turned.get()
        stop.set()
        await running
    assert turned.empty()


async def test_a_wake_during_a_turn_is_not_lost(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.host.loop.IDLE", DAY)
    stop, count = asyncio.Event(), 0

    async def work() -> None:
        nonlocal count
        count += 1
        if count == 1:
            loop.wake()
        else:
            stop.set()

    loop = Loop(passes=doing(work), clock=clock)
    async with asyncio.timeout(30):
        await loop.run(stop)
    assert count == 2


async def test_the_wheel_turns_by_itself_when_nothing_wakes_it(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timers and leases come due by the clock alone."""
    monkeypatch.setattr("bot.host.loop.IDLE", 0.001)
    stop, count = asyncio.Event(), 0

    async def work() -> None:
        nonlocal count
        count += 1
        if count == 3:
            stop.set()

    async with asyncio.timeout(30):
        await Loop(passes=doing(work), clock=clock).run(stop)
    assert count == 3


async def test_a_turn_under_way_is_finished_when_it_is_to_stop(clock: FakeClock) -> None:
    stop = asyncio.Event()
    recorder = Recorder()

    async def work() -> None:
        stop.set()

    await Loop(passes=[*doing(work), recorder.named("last")], clock=clock).run(stop)
    assert recorder.ran == ["last"]


async def test_nothing_is_turned_after_the_stop(clock: FakeClock) -> None:
    stop = asyncio.Event()
    stop.set()
    recorder = Recorder()
    await wheels(Loop(passes=recorder.all("a"), clock=clock)).run(stop)
    assert recorder.ran == []


async def test_loops_turn_side_by_side(clock: FakeClock) -> None:
    """A pass that hangs, as a slow tracker makes it, does not keep another loop from turning."""
    stop, turned, go_on = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def other() -> None:
        turned.set()

    turning = wheels(Loop(passes=doing(go_on.wait), clock=clock), Loop(passes=doing(other), clock=clock))
    running = asyncio.create_task(turning.run(stop))
    async with asyncio.timeout(30):
        await turned.wait()
        stop.set()
        go_on.set()
        await running


async def test_one_tick_turns_every_loop_in_order(clock: FakeClock) -> None:
    recorder = Recorder("b")
    turning = wheels(*(Loop(passes=recorder.all(name), clock=clock) for name in "abc"))
    turning.woken.set()
    await turning.tick()
    assert recorder.ran == ["a", "b", "c"]
    assert not turning.woken.is_set()


async def test_a_fault_of_a_loop_itself_ends_all_of_them(clock: FakeClock) -> None:
    """What is not a pass's own failure is a bug. It must come out, not leave half of a host running."""

    def broken(_: str) -> None:
        raise RuntimeError("told")

    cut_off = asyncio.Event()

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cut_off.set()

    turning = wheels(Loop(passes=doing(hang), clock=clock), Loop(passes=Recorder().all("a"), clock=clock, after=broken))
    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.timeout(30):
            await turning.run(asyncio.Event())
    assert caught.group_contains(RuntimeError, match="told")
    assert cut_off.is_set()


async def test_closing_ends_what_was_started_in_order(clock: FakeClock) -> None:
    closed: list[str] = []

    def closing(name: str) -> Callable[[], Awaitable[None]]:
        async def close() -> None:
            closed.append(name)

        return close

    await wheels(Loop(passes=(), clock=clock), closing=[closing("attempts"), closing("stops")]).close()
    assert closed == ["attempts", "stops"]


async def test_a_clock_that_is_set_back_keeps_no_pass_that_failed_from_being_tried_again(clock: FakeClock) -> None:
    recorder = Recorder("route")
    loop = Loop(passes=recorder.all("route"), clock=clock)
    await loop.tick()
    clock.advance(-HOUR)
    await loop.tick()
    assert recorder.ran.count("route") == 2
    await loop.tick()
    assert recorder.ran.count("route") == 2, "the pause counts from then on"
