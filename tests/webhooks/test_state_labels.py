"""Labels of ours that somebody else changes are put right while a run is live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import pytest

from bot.domain.event import Event, Routing
from bot.ids import EventId
from bot.storage.contract import Tx
from bot.trackers.contract import IssueEvent, Person
from tests.clock import START
from tests.factories import put_place, ready_work
from tests.storage.twice import Writable
from webhooks.desk import Desk
from webhooks.fact_parts import RepositoryRef
from webhooks.handlers.state_labels import put_right
from webhooks.history import history_event

ME, ADA, HELPER = Person(id=9, login="trackside"), Person(id=8, login="ada"), Person(id=7, login="helper", bot=True)
HERE = RepositoryRef(id=1, owner="owner-1", owner_id=1, name="repo-1")
ITEM = "item:1/1"


@dataclass(frozen=True)
class Knows:
    """What a desk knows of the bot itself."""

    me: Person = ME


async def routed(store: Writable[Tx], actor: Person | None, label: str | None) -> Routing:
    """Route that a label was changed, and return how that ended."""
    entry = IssueEvent(id=5, number=1, kind="unlabeled", actor=actor, label=label, created_at=START)
    new = history_event(HERE, entry, EventId("evt-5"))

    def accept(tx: Tx) -> Event:
        event = tx.events.accept(new, START, routing=Routing.PENDING)
        assert event is not None
        return event

    change = put_right(cast("Desk", Knows()), await store.write(accept), 1, label)
    return (await store.write(lambda tx: change(tx, START))).routing


async def due(store: Writable[Tx]) -> bool:
    return bool(await store.read(lambda tx: tx.threads.due(START)))


async def shown(store: Writable[Tx]) -> None:
    """Have a live Work whose thread shows where it stands."""
    await ready_work(store, 1)

    def show(tx: Tx) -> None:
        thread = tx.threads.get(ITEM)
        assert thread is not None
        tx.threads.shown(ITEM, thread.wanted)

    await store.write(show)
    assert not await due(store)


@pytest.mark.parametrize("actor", [ADA, HELPER, None])
@pytest.mark.parametrize("label", ["state:building", "Hold:gate"])
async def test_a_label_of_ours_that_somebody_else_changed_is_shown_anew(
    store: Writable[Tx], actor: Person | None, label: str
) -> None:
    # gh-L-01
    await shown(store)
    assert await routed(store, actor, label) is Routing.ROUTED
    assert await due(store)


@pytest.mark.parametrize(("actor", "label"), [(ME, "state:building"), (ADA, "bug"), (ADA, "run:other"), (ADA, None)])
async def test_what_we_changed_or_what_is_not_ours_is_no_news(
    store: Writable[Tx], actor: Person, label: str | None
) -> None:
    # gh-L-10
    await shown(store)
    assert await routed(store, actor, label) is Routing.UNMATCHED
    assert not await due(store)


async def test_where_nothing_is_live_people_tidy_up_as_they_like(store: Writable[Tx]) -> None:
    await store.write(put_place)
    await store.write(lambda tx: tx.threads.touch(ITEM))
    await store.write(lambda tx: tx.threads.shown(ITEM, 1))
    assert await routed(store, ADA, "state:done") is Routing.UNMATCHED
    assert not await due(store)
