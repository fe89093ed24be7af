"""Asking for deliveries again that did not arrive: each twice at most, and none that is known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.clock import DAY, MINUTE, Clock, Millis
from bot.errors import TrackerUnavailableError
from bot.host.redelivering import RedeliverPass
from bot.storage.contract import Tx
from bot.storage.events import Delivery, pack
from bot.storage.sqlite.store import SqliteStore
from bot.trackers.deliveries import Attempt
from tests.clock import FakeClock
from tests.webhooks.bench import open_sqlite
from webhooks.redelivery import MOST_AT_ONCE, OLDEST, Redelivery


@dataclass
class Hook:
    """
    The tracker's list of attempts. What is asked for is attempted at once, unless it is slow, and fails or arrives.

    It answers so many times.
    """

    clock: Clock
    attempts_made: list[Attempt] = field(default_factory=list)
    arrives: bool = False
    down: bool = False
    slow: bool = False
    answers: int = 1_000
    asked: list[int] = field(default_factory=list)

    def attempt(self, guid: str, *, arrived: bool = False, again: bool = False) -> Attempt:
        made = Attempt(
            id=len(self.attempts_made) + 1,
            guid=guid,
            event="issues",
            delivered_at=self.clock.now(),
            arrived=arrived,
            again=again,
        )
        self.attempts_made.append(made)
        return made

    async def attempts(self, since: Millis, *, after: int = 0) -> list[Attempt]:
        return [each for each in self.attempts_made if each.id > after and each.delivered_at >= since]

    async def redeliver(self, attempt: int) -> None:
        if self.down or not self.answers:
            raise TrackerUnavailableError
        self.answers -= 1
        self.asked.append(attempt)
        if self.slow:
            return
        guid = next(each.guid for each in self.attempts_made if each.id == attempt)
        self.attempt(guid, arrived=self.arrives, again=True)


@dataclass
class Scene:
    hook: Hook
    clock: FakeClock
    store: SqliteStore[Tx]
    redelivery: Redelivery

    def restart(self) -> None:
        self.redelivery = Redelivery(store=self.store, tracker=self.hook, clock=self.clock)


@pytest.fixture
async def scene(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Scene]:
    hook = Hook(clock)
    async with open_sqlite(tmp_path) as store:
        yield Scene(hook, clock, store, Redelivery(store=store, tracker=hook, clock=clock))


async def test_what_failed_is_asked_for_until_it_arrives(scene: Scene) -> None:
    scene.hook.attempt("good", arrived=True)
    failed = scene.hook.attempt("lost")
    scene.hook.arrives = True
    assert await scene.redelivery.run() == 1
    assert scene.hook.asked == [failed.id]
    assert await scene.redelivery.run() == 0


async def test_what_fails_again_and_again_is_asked_for_twice_also_over_a_restart(scene: Scene) -> None:
    scene.hook.attempt("hopeless")
    for _ in range(3):
        await scene.redelivery.run()
        scene.clock.advance(MINUTE)
        scene.restart()
    assert len(scene.hook.asked) == 2
    for _ in range(3):
        await scene.redelivery.run()
    assert len(scene.hook.asked) == 2


async def test_what_failed_after_it_was_taken_is_not_asked_for(scene: Scene) -> None:
    """The answer was lost, or came too late; the delivery is in the store."""
    scene.hook.attempt("taken")
    taken = Delivery(
        guid="taken", event="issues", action="opened", received_at=scene.clock.now(), note="", packed=pack(b"{}")
    )
    await scene.store.write(lambda tx: tx.deliveries.record(taken, []))
    assert await scene.redelivery.run() == 0


async def test_what_is_older_than_the_tracker_keeps_is_let_go(scene: Scene) -> None:
    scene.hook.attempt("old")
    scene.clock.advance(OLDEST + DAY)
    assert await scene.redelivery.run() == 0


async def test_after_a_failure_to_ask_it_goes_on_with_what_was_not_asked_for(scene: Scene) -> None:
    first, second = scene.hook.attempt("one"), scene.hook.attempt("two")
    scene.hook.arrives = True
    scene.hook.down = True
    with pytest.raises(TrackerUnavailableError):
        await scene.redelivery.run()
    scene.hook.down = False
    assert await scene.redelivery.run() == 2
    assert scene.hook.asked == [first.id, second.id]


async def test_what_was_asked_for_before_a_failure_is_not_asked_for_again(scene: Scene) -> None:
    first, second = scene.hook.attempt("one"), scene.hook.attempt("two")
    scene.hook.slow, scene.hook.answers = True, 1
    with pytest.raises(TrackerUnavailableError):
        await scene.redelivery.run()
    scene.hook.answers = 1_000
    assert await scene.redelivery.run() == 1
    assert scene.hook.asked == [first.id, second.id]


async def test_after_a_long_outage_a_part_is_asked_for_at_a_time_and_all_in_the_end(scene: Scene) -> None:
    lost = [scene.hook.attempt(f"lost-{number}").id for number in range(MOST_AT_ONCE + 3)]
    scene.hook.arrives = True
    assert await scene.redelivery.run() == MOST_AT_ONCE
    assert await scene.redelivery.run() == 3
    assert await scene.redelivery.run() == 0
    assert sorted(scene.hook.asked) == lost


async def test_it_asks_at_the_start_and_then_now_and_again_and_survives_an_outage(scene: Scene) -> None:
    scene.hook.down = True
    scene.hook.attempt("lost")
    asking = RedeliverPass(redelivery=scene.redelivery, clock=scene.clock, interval=2 * MINUTE)
    await asking.run()
    scene.hook.down = False
    await asking.run()
    assert scene.hook.asked == []
    scene.clock.advance(2 * MINUTE)
    await asking.run()
    assert len(scene.hook.asked) == 1
