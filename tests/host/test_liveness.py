"""Being alive is making progress: what the two addresses for whoever watches the process say, and from when on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import httpx
import pytest
from fastapi import APIRouter

from bot.clock import MINUTE, SECOND, Millis
from bot.host.http import http_app
from bot.host.loop import IDLE, PATIENCE, Loop, Pass
from bot.host.wheels import Wheels
from bot.storage.contract import Tx
from tests.clock import START, FakeClock
from tests.storage.twice import Writable
from webhooks.delivery import Accepted, Delivery
from webhooks.receiver import Receiver

ALLOWED = int(PATIENCE * IDLE * SECOND)
NAMES = ("route", "start", "project")


async def accept(_delivery: Delivery) -> Accepted:
    return Accepted.IGNORED


class Duties:
    """Passes that work, fail or hang, as the test says."""

    def __init__(self) -> None:
        self.failing: set[str] = set()
        self.hanging: set[str] = set()
        self.go_on = asyncio.Event()
        self.hangs = asyncio.Event()

    def named(self, name: str) -> Pass:
        async def run() -> None:
            if name in self.failing:
                raise RuntimeError("broken")
            if name in self.hanging:
                self.hangs.set()
                await self.go_on.wait()

        return Pass(name=name, run=run)


@pytest.fixture
def duties() -> Duties:
    return Duties()


@pytest.fixture
def wheels(duties: Duties, clock: FakeClock) -> Wheels:
    """Two loops: one with the passes ``route`` and ``start``, one with ``project``."""
    first = Loop(passes=[duties.named("route"), duties.named("start")], clock=clock)
    second = Loop(passes=[duties.named("project")], clock=clock)
    return Wheels(loops=[first, second], closing=(), woken=asyncio.Event())


@pytest.fixture
async def client(store: Writable[Tx], wheels: Wheels, clock: FakeClock) -> AsyncIterator[httpx.AsyncClient]:
    receiver = Receiver(secrets=[], accept=accept)
    app = http_app(store, receiver, APIRouter(), lambda: wheels.health(clock.now()))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://bot.test") as opened:
        yield opened


def seen(last_ran: str | None, *, failing: bool = False) -> dict[str, object]:
    return {"last_ran": last_ran, "running": False, "failing": failing, "stuck": False}


Ask = Callable[[], Awaitable[tuple[int, int]]]


@pytest.fixture
def codes(client: httpx.AsyncClient) -> Ask:
    async def ask() -> tuple[int, int]:
        return (await client.get("/healthz")).status_code, (await client.get("/readyz")).status_code

    return ask


# ag-G12
async def test_each_pass_is_listed_with_when_it_last_came_to_its_end(
    client: httpx.AsyncClient, wheels: Wheels, duties: Duties, clock: FakeClock
) -> None:
    first = (await client.get("/readyz")).json()["passes"]
    assert first == {name: seen(None) for name in NAMES}
    await wheels.tick()
    duties.failing.add("start")
    clock.advance(30 * SECOND)
    await wheels.tick()
    passes = (await client.get("/readyz")).json()["passes"]
    assert passes == {
        "route": seen("2023-11-14T22:13:50+00:00"),
        "start": seen("2023-11-14T22:13:20+00:00", failing=True),
        "project": seen("2023-11-14T22:13:50+00:00"),
    }


# gh-Z-05, gh-Z-20
async def test_a_host_whose_loop_hangs_is_neither_ready_nor_alive_although_it_answers(
    client: httpx.AsyncClient, codes: Ask, wheels: Wheels, duties: Duties, clock: FakeClock
) -> None:
    """A ping that is answered proves nothing: the other loop goes on, and this one hears nothing any more."""
    await wheels.tick()
    duties.hanging.add("start")
    turning = asyncio.create_task(wheels.loops[0].tick())
    await duties.hangs.wait()
    clock.advance(ALLOWED)
    await wheels.loops[1].tick()
    assert await codes() == (200, 200), "negative control: a turn may take long"
    clock.advance(1)
    assert await codes() == (503, 503)
    assert (await client.get("/healthz")).json() == {"status": "stuck", "stuck": ["route", "start"]}
    told = (await client.get("/readyz")).json()
    assert told["reason"] == "no progress: route, start"
    assert [name for name in NAMES if told["passes"][name]["running"]] == ["start"], "this is the one that hangs"
    duties.go_on.set()
    await turning
    await wheels.tick()
    assert await codes() == (200, 200)


# gh-Z-05
async def test_a_host_one_of_whose_duties_fails_for_long_is_alive_and_not_ready(
    client: httpx.AsyncClient, codes: Ask, wheels: Wheels, duties: Duties, clock: FakeClock
) -> None:
    """A new process would fail as well, so that nobody should restart this one."""
    duties.failing.add("route")
    for _ in range(ALLOWED // MINUTE):
        await wheels.tick()
        assert await codes() == (200, 200)
        clock.advance(MINUTE)
    clock.advance(1)
    await wheels.tick()
    assert await codes() == (200, 503)
    assert (await client.get("/readyz")).json()["reason"] == "no progress: route"
    duties.failing.clear()
    clock.advance(MINUTE)
    await wheels.tick()
    assert await codes() == (200, 200)


# gh-Z-05
async def test_a_host_that_never_gets_to_its_first_turn_is_not_ready_for_ever(codes: Ask, clock: FakeClock) -> None:
    assert await codes() == (200, 200)
    clock.advance(ALLOWED + 1)
    assert await codes() == (503, 503)


async def test_a_loop_with_much_to_do_has_more_time(duties: Duties, clock: FakeClock) -> None:
    loop = Loop(passes=[duties.named("project")], clock=clock, patience=2 * PATIENCE)
    slow = Wheels(loops=[loop], closing=(), woken=asyncio.Event())
    assert slow.health(Millis(START + 2 * ALLOWED)).alive
    assert not slow.health(Millis(START + 2 * ALLOWED + 1)).alive


def test_health_is_told_from_one_moment(wheels: Wheels) -> None:
    early, late = wheels.health(START), wheels.health(Millis(START + ALLOWED + 1))
    assert (early.alive, late.alive) == (True, False)
    assert late.stuck == NAMES


# gh-Z-13
async def test_a_host_drains_from_the_moment_that_it_is_told_to_stop(wheels: Wheels, duties: Duties) -> None:
    """Also while a turn is under way: what that turn asks about takes seconds."""
    stop = asyncio.Event()
    duties.hanging.add("route")
    running = asyncio.create_task(wheels.run(stop))
    await duties.hangs.wait()
    before = wheels.drain.begun
    stop.set()
    assert (before, wheels.drain.begun) == (False, True)
    duties.go_on.set()
    await running
