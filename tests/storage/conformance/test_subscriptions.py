"""Who waits for whose words, and how deep events derive from each other."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, Routing
from bot.domain.wait import Dependency
from bot.ids import EventId, WorkId
from bot.storage.contract import Tx
from bot.storage.subscriptions import Subscription
from tests.clock import START
from tests.factories import make_event, put_event, ready_work
from tests.storage.conformance.conftest import Store

FIRST = Dependency(key="item:1/9", statuses=("done", "approved"))
ANY = Dependency(key="branch:1/ü")


async def subscribed(store: Store, work: WorkId, *dependencies: Dependency) -> None:
    def change(tx: Tx) -> None:
        for dependency in dependencies:
            tx.subscriptions.put(work, dependency)

    await store.write(change)


# C-97
async def test_a_subscription_comes_back_as_it_was_put(store: Store, other: Store) -> None:
    work = await ready_work(store)
    await subscribed(store, work.id, FIRST, ANY)
    assert list(await other.read(lambda tx: tx.subscriptions.of_work(work.id))) == [ANY, FIRST]


# C-97
async def test_every_work_that_waits_under_a_key_is_found(store: Store) -> None:
    works = [await ready_work(store, number) for number in (1, 2, 3)]
    await subscribed(store, works[0].id, FIRST)
    await subscribed(store, works[1].id, ANY)
    await subscribed(store, works[2].id, Dependency(key=FIRST.key))
    found = await store.read(lambda tx: tx.subscriptions.to(FIRST.key))
    assert list(found) == [
        Subscription(work=works[0].id, dependency=FIRST),
        Subscription(work=works[2].id, dependency=Dependency(key=FIRST.key)),
    ]
    assert list(await store.read(lambda tx: tx.subscriptions.to("item:1/8"))) == []


async def test_a_work_has_one_subscription_to_a_key(store: Store) -> None:
    work = await ready_work(store)
    await subscribed(store, work.id, FIRST, Dependency(key=FIRST.key, statuses=("review",)))
    (left,) = await store.read(lambda tx: tx.subscriptions.of_work(work.id))
    assert left.statuses == ("review",)


async def test_the_subscriptions_of_one_work_are_removed_and_no_other(store: Store) -> None:
    works = [await ready_work(store, number) for number in (1, 2)]
    for work in works:
        await subscribed(store, work.id, FIRST, ANY)
    await store.write(lambda tx: tx.subscriptions.remove(works[0].id))
    left = [await store.read(lambda tx, of=work.id: tx.subscriptions.of_work(of)) for work in works]  # type: ignore[misc]
    assert [list(each) for each in left] == [[], [ANY, FIRST]]


async def accepted(store: Store, natural_key: str, *, deeper: bool = True, cause: str | None = None) -> Event:
    event = make_event(natural_key, cause=None if cause is None else EventId(cause))
    found = await store.write(lambda tx: tx.events.accept(event, START, routing=Routing.ROUTED, deeper=deeper))
    assert found is not None
    return found


# C-101
async def test_an_event_is_one_deeper_than_its_cause(store: Store) -> None:
    assert (await accepted(store, "root")).depth == 0
    assert (await accepted(store, "child", cause="evt-root")).depth == 1
    assert (await accepted(store, "grandchild", cause="evt-child")).depth == 2
    assert (await accepted(store, "later", cause="evt-child", deeper=False)).depth == 1
    assert (await accepted(store, "of nothing", deeper=False)).depth == 0
    assert (await accepted(store, "orphan", cause="evt-gone")).depth == 0
    depths = await store.read(lambda tx: [tx.events.depth_below(EventId(f"evt-{each}")) for each in ("root", "gone")])
    assert depths == [1, 0]
    found = await store.read(lambda tx: tx.events.get(EventId("evt-grandchild")))
    assert found is not None
    assert found.depth == 2


async def test_events_of_a_type_are_found_by_a_key_oldest_first(store: Store) -> None:
    def change(tx: Tx) -> None:
        for number, (kind, key) in enumerate([("turn", "a"), ("other", "a"), ("turn", "b"), ("turn", "a")]):
            put_event(tx, f"{number}", now=Millis(START + number), type=kind, keys=(key, f"own {number}"))

    await store.write(change)
    found = await store.read(lambda tx: tx.events.of_type_with_key("a", "turn"))
    assert [event.natural_key for event in found] == ["0", "3"]


async def test_unrouted_events_of_a_type_are_found_by_a_key_above_a_number(store: Store) -> None:
    def change(tx: Tx) -> list[int]:
        kinds = [("turn", "a"), ("other", "a"), ("turn", "b"), ("turn", "a"), ("turn", "a")]
        events = [
            put_event(tx, f"{number}", now=START, type=kind, keys=(key,), routing=Routing.PENDING)
            for number, (kind, key) in enumerate(kinds)
        ]
        tx.events.settle(events[3], Routing.ROUTED)
        return [event.seq for event in events]

    first, *_ = await store.write(change)

    def found(tx: Tx) -> list[list[str]]:
        pages = (tx.events.pending_with_key("a", "turn", after=after) for after in (first - 1, first))
        return [[event.natural_key for event in page] for page in pages]

    assert await store.read(found) == [["0", "4"], ["4"]]
