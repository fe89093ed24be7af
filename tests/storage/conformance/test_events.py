"""Events: accepted once, numbered without a gap, routed once."""

from __future__ import annotations

import pytest

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.scope import repository_scope
from bot.ids import EventId
from bot.storage.contract import Tx
from bot.storage.events import Delivery, pack
from tests.clock import START
from tests.factories import make_event, make_work, put_event, put_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + 1)


async def accept(store: Store, natural_key: str, *, now: Millis = START, routing: Routing = Routing.PENDING) -> Event:
    return await store.write(lambda tx: put_event(tx, natural_key, now=now, routing=routing))


async def numbers(store: Store) -> list[int]:
    return [event.seq for event in await store.read(lambda tx: tx.events.by_routing(Routing.PENDING))]


async def test_an_event_comes_back_as_it_was_accepted(store: Store) -> None:
    new = make_event(
        "whole",
        keys=("item:1/1", "branch:1/ü"),
        scope=repository_scope(1),
        data={"text": "§ 🙂 \0", "list": [1, None, {"a": 0.5}]},
        cause=EventId("evt-before"),
    )
    accepted = await store.write(lambda tx: tx.events.accept(new, START, routing=Routing.PENDING))
    assert accepted is not None
    assert {name: getattr(accepted, name) for name in new.__dataclass_fields__} == vars(new)
    assert (accepted.seq, accepted.accepted_at, accepted.routing, accepted.tries) == (1, START, Routing.PENDING, 0)
    for query in (
        lambda tx: tx.events.get(new.id),
        lambda tx: tx.events.by_natural_key("whole"),
        lambda tx: tx.events.with_key("branch:1/ü")[0],
        lambda tx: tx.events.pending()[0],
    ):
        assert await store.read(query) == accepted


async def test_an_event_is_accepted_once_by_its_natural_key(store: Store, other: Store) -> None:
    first = await accept(store, "same")
    twin = make_event("same", id=EventId("evt-another"), data={"other": True})
    assert await other.write(lambda tx: tx.events.accept(twin, LATER, routing=Routing.ROUTED)) is None
    assert await store.read(lambda tx: tx.events.by_natural_key("same")) == first
    assert await store.read(lambda tx: tx.events.newest()) == 1


async def test_acceptance_numbers_have_no_gap_and_follow_the_order_of_the_commits(store: Store, other: Store) -> None:
    class UndoError(Exception):
        pass

    def undone(tx: Tx) -> None:
        put_event(tx, "undone", now=START)
        raise UndoError

    for number, host in enumerate((store, other, store, other)):
        with pytest.raises(UndoError):
            await host.write(undone)
        await accept(host, f"event-{number}")
        await host.write(lambda tx: tx.events.accept(make_event("event-0"), START, routing=Routing.PENDING))
    assert await numbers(store) == [1, 2, 3, 4]
    assert await store.read(lambda tx: tx.events.newest()) == 4


async def test_before_the_first_event_the_newest_number_is_zero(store: Store) -> None:
    assert await store.read(lambda tx: tx.events.newest()) == 0


async def test_pending_events_come_in_order_page_by_page(store: Store) -> None:
    for number in range(5):
        await accept(store, f"event-{number}")
    first = await store.read(lambda tx: tx.events.pending(limit=2))
    rest = await store.read(lambda tx: tx.events.pending(after=first[-1].seq))
    assert [event.seq for event in (*first, *rest)] == [1, 2, 3, 4, 5]


async def test_an_event_is_routed_once(store: Store, other: Store) -> None:
    event = await accept(store, "event")
    assert await store.write(lambda tx: tx.events.settle(event, Routing.ROUTED, "became Work"))
    assert not await other.write(lambda tx: tx.events.settle(event, Routing.UNMATCHED))
    stored = await store.read(lambda tx: tx.events.get(event.id))
    assert stored is not None
    assert (stored.routing, stored.note) == (Routing.ROUTED, "became Work")
    assert await numbers(store) == []


async def test_an_event_that_could_not_be_routed_waits_and_can_be_made_due(store: Store) -> None:
    event = await accept(store, "event")
    await store.write(lambda tx: tx.events.postpone(event, until=LATER, note="no answer"))
    waiting = (await store.read(lambda tx: tx.events.pending()))[0]
    assert (waiting.tries, waiting.next_at, waiting.note) == (1, LATER, "no answer")
    assert await store.write(lambda tx: tx.events.settle(waiting, Routing.DEAD, "given up"))
    assert await store.write(lambda tx: tx.events.revive("event", START))
    revived = (await store.read(lambda tx: tx.events.pending()))[0]
    assert (revived.tries, revived.next_at, revived.seq) == (0, START, event.seq)


@pytest.mark.parametrize("routing", [Routing.ROUTED, Routing.UNMATCHED])
async def test_an_event_that_was_routed_stays_so(store: Store, routing: Routing) -> None:
    await accept(store, "event", routing=routing)
    assert not await store.write(lambda tx: tx.events.revive("event", LATER))
    assert not await store.write(lambda tx: tx.events.revive("unknown", LATER))
    assert await numbers(store) == []


# C-85
async def test_an_unrouted_event_is_found_by_any_key_that_it_shares_with_a_work(store: Store) -> None:
    work = make_work()
    await store.write(lambda tx: put_work(tx, work, keys=("item:1/1", "branch:1/fix")))

    async def unrouted() -> bool:
        return await store.read(lambda tx: tx.events.unrouted_for(work.id))

    await store.write(lambda tx: put_event(tx, "a", now=START, routing=Routing.PENDING, keys=("item:1/2", "pr:1/3")))
    assert not await unrouted()
    shared = await store.write(
        lambda tx: put_event(tx, "b", now=START, routing=Routing.PENDING, keys=("pr:1/3", "branch:1/fix"))
    )
    assert await unrouted()
    await store.write(lambda tx: tx.events.settle(shared, Routing.UNMATCHED))
    assert not await unrouted()


async def test_a_delivery_is_stored_once_and_counted(store: Store, other: Store) -> None:
    delivery = Delivery(
        guid="guid",
        event="issues",
        action="labeled",
        received_at=START,
        note="",
        packed=pack(b'{"a": "\xc3\xbc"}' * 100),
    )
    assert await store.write(lambda tx: tx.deliveries.record(delivery, ["one", "two"]))
    assert not await other.write(lambda tx: tx.deliveries.record(delivery, ["three"]))
    stored = await store.read(lambda tx: tx.deliveries.get("guid"))
    assert stored is not None
    assert (stored.payload, stored.seen, stored.action) == (delivery.payload, 2, "labeled")
    assert sorted(await store.read(lambda tx: tx.deliveries.natural_keys("guid"))) == ["one", "two"]
    assert await store.read(lambda tx: tx.deliveries.get("unknown")) is None
