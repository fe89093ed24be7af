"""Pauses of accounts, the order and count of starts, and names of scopes, as each backend keeps them."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import DAY, Millis
from bot.domain.account import Pause
from bot.domain.scope import ROOT, Scope, ScopeKind, owner_scope, repository_scope
from bot.ids import WorkId
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import claim_one, put_place, ready_work
from tests.storage.twice import Writable

Store = Writable[Tx]

PAUSE = Pause(account="b", until=Millis(5), reason="limit", credentials="digest", paused_at=Millis(1))


async def test_a_pause_is_kept_as_it_was_put(store: Store, other: Store) -> None:
    endless = replace(PAUSE, account="a", until=None)
    await store.write(lambda tx: tx.accounts.put(PAUSE))
    await store.write(lambda tx: tx.accounts.put(endless))
    assert await other.read(lambda tx: tx.accounts.get("b")) == PAUSE
    assert await other.read(lambda tx: tx.accounts.all()) == [endless, PAUSE]
    assert await other.read(lambda tx: tx.accounts.get("c")) is None


async def test_a_pause_takes_the_place_of_the_one_before(store: Store) -> None:
    later = replace(
        PAUSE,
        until=None,
        reason="expired",
        credentials="new",
        paused_at=Millis(2),
        released_at=Millis(3),
        probed_at=Millis(4),
    )
    await store.write(lambda tx: tx.accounts.put(PAUSE))
    await store.write(lambda tx: tx.accounts.put(later))
    assert await store.read(lambda tx: tx.accounts.all()) == [later]
    await store.write(lambda tx: tx.accounts.remove("b"))
    assert await store.read(lambda tx: tx.accounts.all()) == []


async def test_starts_are_counted_by_scope_and_day(store: Store) -> None:
    here, there = repository_scope(1), repository_scope(2)
    tomorrow = Millis(START - START % DAY + DAY)
    assert await store.read(lambda tx: tx.starts.on_day_of(here, START)) == 0
    for scope, now, count in (
        (here, START, 1),
        (here, Millis(tomorrow - 1), 2),
        (here, tomorrow, 1),
        (there, START, 1),
    ):
        await store.write(lambda tx, s=scope, n=now, c=count: tx.starts.add(s, n, c))  # type: ignore[misc] # a default pins the loop's value
    await store.write(lambda tx: tx.starts.add(here, START, -1))
    seen = await store.read(
        lambda tx: [tx.starts.on_day_of(scope, now) for scope, now in ((here, START), (here, tomorrow), (there, START))]
    )
    assert seen == [2, 1, 1]


# ag-L02
async def test_the_repository_that_was_not_served_for_the_longest_time_goes_first(store: Store) -> None:
    for repository in (1, 2, 3):
        await ready_work(store, 1, repository=repository)
    for repository in (2, 1, 3):
        await store.write(lambda tx, r=repository: tx.starts.serve(repository_scope(r)))  # type: ignore[misc] # a default pins the loop's value
    assert [each.scope for each in await store.read(lambda tx: tx.works.ready())] == [
        repository_scope(2),
        repository_scope(1),
        repository_scope(3),
    ]
    await store.write(lambda tx: put_place(tx, 7, repository=2) and None)
    assert (await store.read(lambda tx: tx.works.ready()))[0].scope == repository_scope(2), "its place is kept"


async def test_the_second_of_a_repository_goes_behind_the_first_of_every_other(store: Store) -> None:
    for number in (1, 2, 3):
        await ready_work(store, number, created_at=Millis(START + number))
    await ready_work(store, 1, repository=2, created_at=Millis(START + 9))
    assert await order(store) == ["wrk-1-1", "wrk-2-1", "wrk-1-2", "wrk-1-3"]


async def test_higher_priority_goes_first_and_takes_turns_too(store: Store) -> None:
    await ready_work(store, 1, created_at=START)
    for number in (2, 3):
        await ready_work(store, number, priority=5, created_at=Millis(START + number))
    await ready_work(store, 1, repository=2, priority=5, created_at=Millis(START + 9))
    assert await order(store) == ["wrk-1-2", "wrk-2-1", "wrk-1-3", "wrk-1-1"]


async def order(store: Store) -> list[WorkId]:
    return [each.id for each in await store.read(lambda tx: tx.works.ready())]


async def test_all_waiting_threads_are_made_due_and_no_other(store: Store) -> None:
    ready = await ready_work(store, 1)
    taken = (await claim_one(store, (await ready_work(store, 2)).id, now=START)).work
    before = [await _wanted(store, work.item) for work in (ready, taken)]
    await store.write(lambda tx: tx.threads.park(ready.item, "locked"))
    await store.write(lambda tx: tx.threads.touch_ready())
    assert [await _wanted(store, work.item) for work in (ready, taken)] == [before[0] + 1, before[1]]
    thread = await store.read(lambda tx: tx.threads.get(ready.item))
    assert thread is not None
    assert thread.parked is None


async def _wanted(store: Store, item: str) -> int:
    thread = await store.read(lambda tx: tx.threads.get(item))
    assert thread is not None
    return thread.wanted


async def test_scopes_are_found_by_the_name_they_bear_now(store: Store) -> None:
    await store.write(put_place)
    here = repository_scope(1)
    assert await store.read(lambda tx: tx.scopes.named("OWNER-1/repo-1", ScopeKind.REPOSITORY)) == [here]
    assert await store.read(lambda tx: tx.scopes.named("owner-1", ScopeKind.OWNER)) == [owner_scope(1)]
    assert await store.read(lambda tx: tx.scopes.named("owner-1", ScopeKind.REPOSITORY)) == []
    renamed = Scope(id=here, parent=owner_scope(1), kind=ScopeKind.REPOSITORY, name="owner-1/New")
    await store.write(lambda tx: tx.scopes.put(renamed))
    assert await store.read(lambda tx: tx.scopes.named("owner-1/repo-1", ScopeKind.REPOSITORY)) == []
    assert await store.read(lambda tx: tx.scopes.named("owner-1/new", ScopeKind.REPOSITORY)) == [here]
    assert await store.read(lambda tx: tx.scopes.named("", ScopeKind.ROOT)) == [ROOT]
