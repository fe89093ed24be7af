"""Intake, routing, sweep and poll on a store of their own, beside the tracker of the simulation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from bot.domain.admission import Terms
from bot.domain.scope import item_key
from bot.storage.contract import Store, Tx
from bot.storage.runner import InlineRunner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect
from bot.views.standing import Explain
from tests.simulation.mortal import Life
from tests.simulation.playbooks import playbooks
from tests.simulation.times import HostClock, TrueTime
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.door import Network, TrackerDoor
from tests.simulation.tracker.payloads import Delivery
from tests.simulation.tracker.state import BOT, Place, Pull
from tests.storage.backend import MIGRATIONS
from webhooks.authority import Authority
from webhooks.delivery import Delivery as Received
from webhooks.desk import Desk
from webhooks.github.normalise import Malformed, normalise
from webhooks.intake import Intake
from webhooks.polling import Poll
from webhooks.router import Router
from webhooks.served import Served
from webhooks.sweep import Sweep

T = TypeVar("T")


def received(delivery: Delivery) -> Received:
    """Return a delivery as the receiver hands it on."""
    facts = normalise(delivery.event, delivery.action, json.loads(delivery.payload), delivery=delivery.guid)
    assert not isinstance(facts, Malformed)
    return Received(
        guid=delivery.guid,
        event=delivery.event,
        action=delivery.action,
        hook=None,
        payload=delivery.payload,
        facts=facts,
        note="",
    )


@dataclass(frozen=True, kw_only=True)
class CountedDoor(TrackerDoor):
    """
    The door to the tracker, which counts what is read through it; ``allow`` is asked before each reading.

    ``moved`` are repositories by their old names: those lead to what they are called now.
    """

    reads: Counter[str] = field(default_factory=Counter)
    allow: list[Callable[[], None]] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)

    def _place(self, full_name: str) -> Place:
        return super()._place(self.moved.get(full_name, full_name))

    async def _read(self, name: str, answer: Callable[[], T]) -> T:
        for each in self.allow:
            each()
        self.reads[name] += 1
        return await super()._read(name, answer)


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What comes in, and what is asked for, without a scheduler or a projector."""

    store: Store
    time: TrueTime
    tracker: TrackerDesk
    door: CountedDoor
    intake: Intake
    router: Router
    sweep: Sweep
    poll: Poll

    def sent(self) -> list[Delivery]:
        """Return what the tracker has sent since the last time."""
        sent = list(self.tracker.outbox)
        self.tracker.outbox.clear()
        return sent

    async def deliver(self, deliveries: Sequence[Delivery]) -> None:
        """Have deliveries arrive; each is routed before the next one comes, so that nothing sorts them again."""
        for each in deliveries:
            await self.intake.accept(received(each))
            await self.router.run()

    async def open_pull(self, place: Place, item: str, playbook: str) -> Pull:
        """Open the pull request of an item's live Work, as publishing does."""
        work = await self.store.read(lambda tx: tx.works.live(item, playbook))
        assert work is not None
        self.tracker.push(place, work.branch)
        number = self.tracker.open_pull(place, BOT, work.branch, "Greet", "").number

        def link(tx: Tx) -> None:
            tx.works.save(replace(tx.works.get(work.id), pull_request=number), self.time.now)
            tx.works.add_key(work.id, item_key(place.id, number))

        await self.store.write(link)
        return place.pulls[number]

    async def look(self) -> int:
        """Sweep every repository and route what is found. Returns how many facts were new."""
        found = sum([await self.sweep.run(place.full_name) for place in self.tracker.places])
        await self.router.run()
        return found


def _no_terms(playbook: str) -> Terms:
    raise AssertionError(f"nothing here asks for the terms of {playbook}")


@asynccontextmanager
async def open_sqlite(directory: Path) -> AsyncIterator[SqliteStore[Tx]]:
    """Open a fresh store, as fast as it can be."""
    store: SqliteStore[Tx] = await SqliteStore.open(
        SqliteSettings(path=directory / "trackside.db", readers=1, durable=False),
        bind=Tx,
        statements=for_dialect("sqlite"),
        migrations=MIGRATIONS,
        runner=InlineRunner(),
    )
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def open_bench(directory: Path, tracker: TrackerDesk | None = None) -> AsyncIterator[Bench]:
    """Open a bench, whose store is in ``directory``; benches may share a tracker."""
    tracker = tracker or TrackerDesk(time=TrueTime())
    clock = HostClock(time=tracker.time)
    door = CountedDoor(desk=tracker, life=Life(name="bot", tell=lambda *_: None), network=Network())
    async with open_sqlite(directory) as store:
        desk = Desk(
            store=store,
            tracker=door,
            authority=Authority(door, clock),
            playbooks=playbooks(),
            me=BOT,
            explain=Explain(known=playbooks().__contains__, terms=_no_terms),
        )
        sweep = Sweep(store, door, desk, clock)
        names = [place.full_name for place in tracker.places]
        yield Bench(
            store=store,
            time=tracker.time,
            tracker=tracker,
            door=door,
            intake=Intake(store, clock, lambda: None),
            router=Router(store, desk, Served(door, clock, names), clock, lambda: None),
            sweep=sweep,
            poll=Poll(sweep, clock),
        )
