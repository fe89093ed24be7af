"""Deliveries of one thread in every order: the tracker is in its final state, and the bot ends in one state."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.approvals.gate import NAME, details, requirements_of
from bot.clock import MINUTE, Millis
from bot.domain.admission import Terms
from bot.domain.scope import item_key
from bot.ids import EventId, HoldId, new_id
from bot.scheduler.gates import Held, StartHold, place_gate_hold
from bot.storage.contract import Store, Tx
from bot.storage.runner import InlineRunner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect
from bot.storage.threads import NoteKind
from bot.trackers.contract import Person
from bot.views.reply import Reply
from bot.views.standing import Explain
from tests.simulation.mortal import Life
from tests.simulation.playbooks import GATED, playbooks
from tests.simulation.times import HostClock, TrueTime
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.door import Network, TrackerDoor
from tests.simulation.tracker.payloads import Delivery
from tests.simulation.tracker.state import BOT, PEOPLE, Item, Place
from tests.storage.backend import MIGRATIONS
from webhooks.authority import Authority
from webhooks.delivery import Delivery as Received
from webhooks.desk import Desk
from webhooks.github.normalise import Malformed, normalise
from webhooks.intake import Intake
from webhooks.router import Router

ADA, MAX, RITA = (each.person for each in PEOPLE[:3])
GATED_LABEL, OPEN_LABEL = "run:work-issue", "run:fix"


@dataclass(frozen=True, kw_only=True)
class Thread:
    """One issue, in which people act."""

    desk: TrackerDesk
    place: Place
    item: Item

    def says(self, body: str, by: Person = MAX) -> None:
        self.desk.comment(self.place, self.item, by, body)

    def labels(self, name: str) -> None:
        self.desk.label(self.place, self.item, ADA, name)

    def unlabels(self, name: str) -> None:
        self.desk.unlabel(self.place, self.item, ADA, name)

    def edits(self) -> None:
        self.desk.edit(self.place, self.item, body="Another text.")

    def closes(self) -> None:
        self.desk.set_open(self.place, self.item, ADA, is_open=False)

    def reopens(self) -> None:
        self.desk.set_open(self.place, self.item, ADA, is_open=True)


Step = Callable[[Thread], None]


@dataclass(frozen=True, kw_only=True)
class History:
    """What people do; ``held`` says that a gate holds the Work before that. Each step sends one delivery."""

    held: bool
    steps: tuple[Step, ...]


HISTORIES = {
    "approved in peace": History(
        held=True,
        steps=(
            lambda thread: thread.says("/approve"),
            lambda thread: thread.says("Please be quick."),
            lambda thread: thread.labels("bug"),
            lambda thread: thread.says("/approve", by=RITA),
            lambda thread: thread.unlabels("bug"),
        ),
    ),
    "approved, edited and ended": History(
        held=True,
        steps=(
            lambda thread: thread.says("/approve"),
            lambda thread: thread.edits(),
            lambda thread: thread.says("Please be quick."),
            lambda thread: thread.unlabels(GATED_LABEL),
            lambda thread: thread.closes(),
        ),
    ),
    "approved, then edited": History(
        held=True,
        steps=(
            lambda thread: thread.says("/approve"),
            lambda thread: thread.edits(),
            lambda thread: thread.says("Another word."),
            lambda thread: thread.labels("bug"),
        ),
    ),
    "approved and started anew": History(
        held=True,
        steps=(
            lambda thread: thread.says("/approve"),
            lambda thread: thread.closes(),
            lambda thread: thread.reopens(),
            lambda thread: thread.unlabels(GATED_LABEL),
            lambda thread: thread.labels(GATED_LABEL),
        ),
    ),
    "approved and another label": History(
        held=True,
        steps=(
            lambda thread: thread.says("/approve"),
            lambda thread: thread.labels(OPEN_LABEL),
            lambda thread: thread.says("/hold until tomorrow"),
            lambda thread: thread.says("Please be quick."),
            lambda thread: thread.labels("bug"),
        ),
    ),
    "labelled and held": History(
        held=False,
        steps=(
            lambda thread: thread.labels(OPEN_LABEL),
            lambda thread: thread.says("/hold until tomorrow"),
            lambda thread: thread.says("/approve"),
            lambda thread: thread.edits(),
            lambda thread: thread.says("/approve", by=RITA),
        ),
    ),
    "labelled and cancelled": History(
        held=False,
        steps=(
            lambda thread: thread.labels(OPEN_LABEL),
            lambda thread: thread.says("/cancel not now"),
            lambda thread: thread.says("Sorry."),
            lambda thread: thread.edits(),
            lambda thread: thread.labels("bug"),
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Intake and routing on a store, beside a tracker. Each thread is an issue of its own."""

    store: Store
    time: TrueTime
    tracker: TrackerDesk
    intake: Intake
    router: Router

    async def end(self, history: History, order: Sequence[int]) -> dict[str, Any]:
        """Let a history happen, deliver it in an order, and return what is there afterwards."""
        place = self.tracker.places[0]
        thread = Thread(desk=self.tracker, place=place, item=self.tracker.open_issue(place, ADA, "Greet", "Say hello."))
        if history.held:
            thread.labels(GATED_LABEL)
            await self._deliver(self._sent())
            await self._hold(thread)
        self._sent()
        for step in history.steps:
            self.time.now = Millis(self.time.now + MINUTE)
            step(thread)
        sent = self._sent()
        assert len(sent) == len(history.steps)
        await self._deliver([sent[place] for place in order])
        key = item_key(place.id, thread.item.number)
        return await self.store.read(lambda tx: _observed(tx, key))

    def _sent(self) -> list[Delivery]:
        sent = list(self.tracker.outbox)
        self.tracker.outbox.clear()
        return sent

    async def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        for each in deliveries:
            facts = normalise(each.event, each.action, json.loads(each.payload), delivery=each.guid)
            assert not isinstance(facts, Malformed)
            received = Received(
                guid=each.guid,
                event=each.event,
                action=each.action,
                hook=None,
                payload=each.payload,
                facts=facts,
                note="",
            )
            await self.intake.accept(received)
            # Each is routed before the next one comes: nothing sorts them again.
            await self.router.run()

    async def _hold(self, thread: Thread) -> None:
        key = item_key(thread.place.id, thread.item.number)
        hold, event = HoldId(new_id("hld")), EventId(new_id("evt"))

        def place(tx: Tx) -> None:
            work = tx.works.live(key, GATED)
            assert work is not None
            asked = details(requirements_of(playbooks()[GATED]), ())
            start = StartHold(reason="approval", revision=work.instructions.revision, details=asked)
            place_gate_hold(tx, work, Held(holder=NAME, hold=start), hold=hold, event=event, now=self.time.now)

        await self.store.write(place)


def _observed(tx: Tx, key: str) -> dict[str, Any]:
    works = tx.works.of_item(key)
    holds = [hold for work in works for hold in tx.holds.of_work(work.id)]
    notes = [note for note in tx.notes.pending() if note.item == key and note.kind is NoteKind.REPLY]
    replies = [Reply.from_document(json.loads(note.body)) for note in notes]
    # What is answered to somebody who may not decide changes nothing, and tells of the moment.
    told = [reply for reply in replies if reply.login != RITA.login]
    return {
        "works": sorted((work.playbook, work.run, work.state.value) for work in works),
        "holds": sorted((hold.kind.value, hold.holder, hold.state.value, hold.revision) for hold in holds),
        "decisions": sorted(
            (each.login, each.verb, each.revision) for hold in holds for each in tx.decisions.of_hold(hold.id)
        ),
        "replies": sorted((reply.code.value, reply.login) for reply in told),
    }


def _no_terms(playbook: str) -> Terms:
    raise AssertionError(f"nothing here asks for the terms of {playbook}")


@asynccontextmanager
async def _bench(directory: Path) -> AsyncIterator[Bench]:
    store: SqliteStore[Tx] = await SqliteStore.open(
        SqliteSettings(path=directory / "trackside.db", readers=1, durable=False),
        bind=Tx,
        statements=for_dialect("sqlite"),
        migrations=MIGRATIONS,
        runner=InlineRunner(),
    )
    time = TrueTime()
    clock = HostClock(time=time)
    tracker = TrackerDesk(time=time)
    door = TrackerDoor(desk=tracker, life=Life(name="bot", tell=lambda *_: None), network=Network())
    desk = Desk(
        store=store,
        tracker=door,
        authority=Authority(door, clock),
        playbooks=playbooks(),
        me=BOT,
        explain=Explain(known=playbooks().__contains__, terms=_no_terms),
    )
    router = Router(store, desk, clock, lambda: None)
    try:
        yield Bench(store=store, time=time, tracker=tracker, intake=Intake(store, clock, lambda: None), router=router)
    finally:
        await store.close()


# gh-O-01, gh-O-02, ag-B05, ag-B07
@pytest.mark.parametrize("name", HISTORIES)
async def test_every_order_of_delivery_ends_in_the_same_state(name: str, tmp_path: Path) -> None:
    history = HISTORIES[name]
    orders = list(itertools.permutations(range(len(history.steps))))
    async with _bench(tmp_path) as bench:
        first = await bench.end(history, orders[0])
        assert first["works"], "a history in which nothing happens proves nothing"
        for order in orders[1:]:
            assert await bench.end(history, order) == first, f"the order {order} ends otherwise"
    print(f"{name}: {len(orders)} orders")  # noqa: T201 - how many ran is shown with -s


async def test_a_hold_written_after_the_label_is_placed_although_it_is_heard_of_first(tmp_path: Path) -> None:
    history = HISTORIES["labelled and held"]
    async with _bench(tmp_path) as bench:
        state = await bench.end(history, (1, 0, 2, 3, 4))
    assert [hold[0] for hold in state["holds"]] == ["operator"]
