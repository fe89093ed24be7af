"""Desks without a database: who is told what when a server does not open, serve or close."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from bot.errors import StorageError
from bot.storage.runner import Call, InlineRunner, Runner, ThreadRunner


class TroubleError(Exception):
    pass


class Numbers:
    """A server whose subject is how many calls it was handed together. ``fault`` says where it fails."""

    def __init__(self, fault: str = "") -> None:
        self._fault = fault
        self._thread = threading.get_ident()
        self.closed = threading.Event()

    def serve(self, calls: Sequence[Call[int]]) -> None:
        assert threading.get_ident() == self._thread
        for call in calls:
            if call.begins():
                if self._fault == "serve":
                    self._fault = ""
                    raise TroubleError("while serving")
                call.settle(call.run(len(calls)))

    def close(self) -> None:
        assert threading.get_ident() == self._thread
        self.closed.set()
        if self._fault == "close":
            raise TroubleError("while closing")


@pytest.fixture(params=[InlineRunner, ThreadRunner])
def runner(request: pytest.FixtureRequest) -> Runner:
    chosen: Runner = request.param()
    return chosen


async def test_a_server_that_does_not_open_is_told_and_the_others_are_closed(runner: Runner) -> None:
    made: list[Numbers] = []
    lock = threading.Lock()

    def opening() -> Numbers:
        with lock:
            if made or isinstance(runner, InlineRunner):
                raise TroubleError("while opening")
            made.append(Numbers())
            return made[0]

    with pytest.raises(TroubleError, match="opening"):
        await runner.desk(opening, servers=3, group=1)
    assert all(server.closed.is_set() for server in made)


async def test_a_server_that_fails_to_close_is_told(runner: Runner) -> None:
    desk = await runner.desk(lambda: Numbers("close"), servers=1, group=1)
    with pytest.raises(TroubleError, match="closing"):
        await desk.close()


async def test_a_thread_survives_a_server_that_fails_to_serve() -> None:
    desk = await ThreadRunner().desk(lambda: Numbers("serve"), servers=1, group=8)
    with pytest.raises(StorageError, match="TroubleError"):
        await desk.ask(str)
    assert await desk.ask(str) == "1"
    await desk.close()


async def test_calls_that_wait_are_handed_over_together_up_to_the_bound() -> None:
    desk = await ThreadRunner().desk(Numbers, servers=1, group=3)
    entered, opened = threading.Event(), threading.Event()

    def gate(_: int) -> bool:
        entered.set()
        return opened.wait(20)

    first = asyncio.create_task(desk.ask(gate))
    assert await asyncio.to_thread(entered.wait, 20)
    others = [asyncio.create_task(desk.ask(int)) for _ in range(5)]
    await asyncio.sleep(0)
    opened.set()
    assert await first
    assert await asyncio.gather(*others) == [3, 3, 3, 2, 2]
    await desk.close()


async def test_inline_calls_run_before_anything_else_gets_a_turn() -> None:
    desk = await InlineRunner().desk(Numbers, servers=4, group=8)
    order: list[str] = []
    asyncio.get_running_loop().call_soon(order.append, "the loop")
    await desk.ask(lambda _: order.append("the call"))
    assert order == ["the call"]
    await desk.close()


async def test_no_thread_is_left_after_close() -> None:
    before = threading.active_count()
    desk = await ThreadRunner("left").desk(Numbers, servers=3, group=1)
    await desk.ask(str)
    await desk.close()
    for thread in threading.enumerate():
        if thread.name.startswith("left-"):
            thread.join(20)
    assert threading.active_count() <= before
