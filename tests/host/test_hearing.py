"""Waking up for what other hosts commit, and listening again after a fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from bot.errors import StorageError
from bot.host.hearing import hear
from bot.host.loop import Loop
from bot.host.wheels import Wheels
from tests.clock import FakeClock


class Database:
    """A database that tells of changes until it is lost, a few times."""

    def __init__(self, *told: int) -> None:
        self._told = list(told)
        self.open = 0
        self.opened = asyncio.Event()

    async def changes(self) -> AsyncGenerator[None, None]:
        self.open += 1
        self.opened.set()
        try:
            if not self._told:
                await asyncio.Event().wait()
            for _ in range(self._told.pop(0)):
                yield
            raise StorageError("gone")
        finally:
            self.open -= 1


async def test_every_change_wakes_and_after_a_fault_it_listens_again_later_and_later() -> None:
    woken: list[float] = []
    pauses: list[float] = []
    listening = asyncio.Event()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 4:
            listening.set()

    database = Database(3, 0, 0, 1)
    task = asyncio.create_task(hear(database, lambda: woken.append(len(pauses)), pause))
    await asyncio.wait_for(listening.wait(), 20)
    assert woken == [0, 0, 0, 3]
    assert pauses[0] < pauses[1] < pauses[2], "a server that is down is not asked without a rest"
    assert pauses[3] == pauses[0], "once it was heard, it starts over"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert database.open == 0


async def test_what_runs_beside_the_wheels_ends_with_them(clock: FakeClock) -> None:
    database, stop = Database(), asyncio.Event()
    wheels = Wheels(
        loops=[Loop(passes=[], clock=clock)],
        closing=[],
        woken=asyncio.Event(),
        beside=[lambda: hear(database, lambda: None)],
    )
    running = asyncio.create_task(wheels.run(stop))
    await database.opened.wait()
    stop.set()
    await asyncio.wait_for(running, 20)
    assert database.open == 0
