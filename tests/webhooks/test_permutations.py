"""Deliveries of one thread in every order: the tracker is in its final state, and the bot ends in one state."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from bot.approvals.gate import NAME, details, requirements_of
from bot.clock import MINUTE, Millis
from bot.domain.scope import item_key
from bot.ids import EventId, HoldId, new_id
from bot.scheduler.gates import Held, StartHold, place_gate_hold
from bot.storage.contract import Tx
from bot.storage.threads import NoteKind
from bot.trackers.contract import Person, Verdict
from bot.views.reply import Reply
from tests.simulation.playbooks import GATED, OPEN, playbooks
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.state import PEOPLE, Item, Place, Pull
from tests.webhooks.bench import Bench, open_bench

ADA, MAX, RITA = (each.person for each in PEOPLE[:3])
GATED_LABEL, OPEN_LABEL = "run:work-issue", "run:fix"


@dataclass(frozen=True, kw_only=True)
class Thread:
    """One issue, in which people act, and the pull request of its Work."""

    desk: TrackerDesk
    place: Place
    item: Item
    pull: Pull | None = None

    @property
    def change(self) -> Pull:
        assert self.pull is not None
        return self.pull

    def reviews(self, body: str, *lines: str, verdict: Verdict = Verdict.COMMENTED) -> None:
        self.desk.review(self.place, self.change, MAX, verdict, body, lines)

    def dismisses(self) -> None:
        self.desk.dismiss(self.place, self.change, self.change.reviews[-1])

    def pushes(self) -> None:
        self.desk.push(self.place, self.change.head_ref)

    def merges(self) -> None:
        self.desk.merge(self.place, self.change, ADA)

    def says_there(self, body: str) -> None:
        self.desk.comment(self.place, self.change.item, MAX, body)

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
    """
    What people do, and how many deliveries tell of it.

    ``held`` says that a gate holds the Work before that, ``pull`` that the Work has a pull request.
    """

    held: bool
    steps: tuple[Step, ...]
    pull: bool = False
    more: int = 0

    @property
    def deliveries(self) -> int:
        """One for each step, and ``more`` where steps send several."""
        return len(self.steps) + self.more


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
    "held and let go": History(
        held=False,
        pull=True,
        steps=(
            lambda thread: thread.says("/hold until tomorrow"),
            lambda thread: thread.says("/release"),
            lambda thread: thread.says("Please be quick."),
            lambda thread: thread.labels("bug"),
        ),
    ),
    "let go, then held": History(
        held=False,
        pull=True,
        steps=(
            lambda thread: thread.says("/release"),
            lambda thread: thread.says("/hold until tomorrow"),
            lambda thread: thread.pushes(),
            lambda thread: thread.says_there("/hold here too"),
        ),
    ),
    "reviewed line by line": History(
        held=False,
        pull=True,
        steps=(
            lambda thread: thread.reviews("", "Say wrold.", "Twice."),
            lambda thread: thread.pushes(),
            lambda thread: thread.says_there("Please be quick."),
        ),
        more=2,
    ),
    "reviewed, and the review dismissed": History(
        held=False,
        pull=True,
        steps=(
            lambda thread: thread.reviews("Fine.", verdict=Verdict.APPROVED),
            lambda thread: thread.dismisses(),
            lambda thread: thread.pushes(),
            lambda thread: thread.says("Please be quick."),
            lambda thread: thread.reviews("Not yet.", verdict=Verdict.CHANGES_REQUESTED),
        ),
    ),
    "approved in a review": History(
        held=True,
        pull=True,
        steps=(
            lambda thread: thread.reviews("/approve"),
            lambda thread: thread.says_there("Please be quick."),
            lambda thread: thread.labels("bug"),
            lambda thread: thread.reviews("Nearly."),
        ),
    ),
    "reviewed and merged": History(
        held=False,
        pull=True,
        steps=(
            lambda thread: thread.merges(),
            lambda thread: thread.labels("bug"),
            lambda thread: thread.closes(),
            lambda thread: thread.edits(),
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class Theatre:
    """Where histories happen. Each is an issue of its own."""

    bench: Bench

    async def end(self, history: History, order: Sequence[int]) -> dict[str, Any]:
        """Let a history happen, deliver it in an order, and return what is there afterwards."""
        bench = self.bench
        thread = await self._begin(history)
        bench.sent()
        for step in history.steps:
            bench.time.now = Millis(bench.time.now + MINUTE)
            step(thread)
        sent = bench.sent()
        assert len(sent) == history.deliveries
        await bench.deliver([sent[place] for place in order])
        key = item_key(thread.place.id, thread.item.number)
        return await bench.store.read(lambda tx: _observed(tx, key))

    async def _begin(self, history: History) -> Thread:
        tracker = self.bench.tracker
        place = tracker.places[0]
        thread = Thread(desk=tracker, place=place, item=tracker.open_issue(place, ADA, "Greet", "Say hello."))
        key = item_key(place.id, thread.item.number)
        if history.pull or history.held:
            label, playbook = (GATED_LABEL, GATED) if history.held else (OPEN_LABEL, OPEN)
            thread.labels(label)
            await self.bench.deliver(self.bench.sent())
            if history.held:
                await self.bench.store.write(lambda tx: self._hold(tx, key))
            if history.pull:
                pull = await self.bench.open_pull(place, key, playbook)
                thread = replace(thread, pull=pull)
        return thread

    def _hold(self, tx: Tx, key: str) -> None:
        work = tx.works.live(key, GATED)
        assert work is not None
        asked = details(requirements_of(playbooks()[GATED]), ())
        start = StartHold(reason="approval", revision=work.instructions.revision, details=asked)
        held, now = Held(holder=NAME, hold=start), self.bench.time.now
        place_gate_hold(tx, work, held, hold=HoldId(new_id("hld")), event=EventId(new_id("evt")), now=now)


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
        "inputs": sorted((each.kind, each.author, each.body) for work in works for each in tx.inputs.pending(work.id)),
        "replies": sorted((reply.code.value, reply.login) for reply in told),
    }


# gh-O-01, gh-O-02, ag-B05, ag-B07
@pytest.mark.parametrize("name", HISTORIES)
async def test_every_order_of_delivery_ends_in_the_same_state(name: str, tmp_path: Path) -> None:
    history = HISTORIES[name]
    orders = list(itertools.permutations(range(history.deliveries)))
    async with open_bench(tmp_path) as bench:
        theatre = Theatre(bench=bench)
        first = await theatre.end(history, orders[0])
        assert first["works"], "a history in which nothing happens proves nothing"
        for order in orders[1:]:
            assert await theatre.end(history, order) == first, f"the order {order} ends otherwise"
    print(f"{name}: {len(orders)} orders")  # noqa: T201 - how many ran is shown with -s


async def test_a_hold_written_after_the_label_is_placed_although_it_is_heard_of_first(tmp_path: Path) -> None:
    history = HISTORIES["labelled and held"]
    async with open_bench(tmp_path) as bench:
        state = await Theatre(bench=bench).end(history, (1, 0, 2, 3, 4))
    assert [hold[0] for hold in state["holds"]] == ["operator"]
