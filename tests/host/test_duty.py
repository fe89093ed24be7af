"""What one host at a time does: by a lease, so that neither a crash nor a pause leaves it undone or doubled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bot.host.duty import Duty
from bot.host.loop import Pass
from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.storage.twice import Twice, Writable

LENGTH = 60_000


class Ticks:
    """Ticks that the test gives."""

    def __init__(self) -> None:
        self.pulse = asyncio.Event()
        self._used = asyncio.Event()

    async def __call__(self) -> AsyncIterator[None]:
        while True:
            await self.pulse.wait()
            self.pulse.clear()
            yield
            self._used.set()

    async def give(self) -> None:
        """Give one, and wait until what it is for was done."""
        self.pulse.set()
        await self._used.wait()
        self._used.clear()


class Host:
    """A host with the duty, and a pass under it that counts its runs."""

    def __init__(self, name: str, store: Writable[Tx], clock: FakeClock) -> None:
        self.runs = 0
        self.ticks = Ticks()
        self.duty = Duty(store=Twice(store), clock=clock, owner=name, length=LENGTH, ticks=self.ticks)

    async def turn(self) -> int:
        """Run the pass if the duty lets it. Returns how often it has run."""
        await self.guarded(self._count)
        return self.runs

    async def guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        await self.duty.guarded(Pass(name="speak", run=work)).run()

    async def _count(self) -> None:
        self.runs += 1


@pytest.fixture
def a(store: Writable[Tx], clock: FakeClock) -> Host:
    return Host("host-a", store, clock)


@pytest.fixture
def b(store: Writable[Tx], clock: FakeClock) -> Host:
    return Host("host-b", store, clock)


async def test_the_first_one_does_it_and_nobody_else(a: Host, b: Host) -> None:
    for turn in range(1, 4):
        assert (await a.turn(), await b.turn()) == (turn, 0)


async def test_it_is_kept_for_as_long_as_it_is_done(a: Host, b: Host, clock: FakeClock) -> None:
    for turn in range(1, 10):
        assert (await a.turn(), await b.turn()) == (turn, 0)
        clock.advance(LENGTH // 2)


# ag-G12
async def test_another_takes_it_over_when_its_host_is_gone(a: Host, b: Host, clock: FakeClock) -> None:
    assert await a.turn() == 1
    clock.advance(LENGTH - 1)
    assert await b.turn() == 0
    clock.advance(1)
    assert await b.turn() == 1
    assert await a.turn() == 1, "it is not the first one's any more"


async def test_another_takes_it_over_at_once_when_it_is_given_back(a: Host, b: Host) -> None:
    assert await a.turn() == 1
    await b.duty.give_back()  # it was never this one's
    assert await b.turn() == 0
    await a.duty.give_back()
    assert (await b.turn(), await a.turn()) == (1, 1)


async def test_a_host_that_is_restarted_goes_on_at_once(a: Host, store: Writable[Tx], clock: FakeClock) -> None:
    assert await a.turn() == 1
    assert await Host("host-a", store, clock).turn() == 1


async def test_it_is_renewed_while_a_pass_takes_its_time(a: Host, b: Host, clock: FakeClock) -> None:
    entered, done = asyncio.Event(), asyncio.Event()

    async def long() -> None:
        entered.set()
        await done.wait()

    running = asyncio.create_task(a.guarded(long))
    await entered.wait()
    for _ in range(6):
        clock.advance(LENGTH // 3)
        await a.ticks.give()
        assert await b.turn() == 0
    done.set()
    await running


async def test_a_pass_ends_when_its_host_has_lost_the_duty(a: Host, b: Host, clock: FakeClock) -> None:
    """As after a pause of the whole process."""
    entered, ended = asyncio.Event(), asyncio.Event()

    async def endless() -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    running = asyncio.create_task(a.guarded(endless))
    await entered.wait()
    clock.advance(LENGTH)
    assert await b.turn() == 1
    a.ticks.pulse.set()
    await asyncio.wait_for(running, 20)
    assert ended.is_set()


async def test_a_pass_ends_when_the_database_is_gone_for_longer_than_the_lease(
    a: Host, store: Writable[Tx], clock: FakeClock
) -> None:
    entered = asyncio.Event()

    async def endless() -> None:
        entered.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(a.guarded(endless))
    await entered.wait()
    await store.close()
    clock.advance(LENGTH // 3)
    await a.ticks.give()
    assert not running.done(), "one renewal that fails ends nothing"
    clock.advance(LENGTH)
    a.ticks.pulse.set()
    await asyncio.wait_for(running, 20)
    await a.duty.give_back()  # and this fails in silence: it lapses by itself


async def test_a_pass_that_fails_fails(a: Host) -> None:
    async def broken() -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await a.guarded(broken)
