"""A thread that cannot be written to now is written to as soon as it can be, and not before."""

from __future__ import annotations

import pytest

from bot.clock import MINUTE, SECOND
from bot.domain.scope import owner_scope, repository_scope
from bot.errors import RateLimitedError, TrackerError, TrackerUnavailableError
from bot.ids import EventId
from bot.storage.contract import Tx
from bot.storage.threads import Thread
from bot.trackers.contract import IssueEvent
from projectors.pace import Pace, Window
from tests.clock import START, FakeClock
from tests.factories import put_place
from tests.projectors.desk import ITEM, REPOSITORY, Desk, Projecting
from tests.projectors.samples import RUNNING, WORK
from tests.storage.twice import Writable
from webhooks.fact_parts import RepositoryRef
from webhooks.handlers.reach import handle_reach
from webhooks.history import accept_history
from webhooks.reach import ReachFact

SPAN = 20 * SECOND
SLOW = Pace(writes=(Window(most=2, span=SPAN),), jitter=0.0)
HERE = RepositoryRef(id=1, owner="owner-1", owner_id=1, name="repo-1")


@pytest.fixture
def desk(clock: FakeClock) -> Desk:
    return Desk(clock=clock)


async def row(store: Writable[Tx]) -> Thread:
    found = await store.read(lambda tx: tx.threads.get(ITEM))
    assert found is not None
    return found


async def parked(store: Writable[Tx]) -> bool:
    return bool(await store.read(lambda tx: tx.threads.parked()))


async def test_a_wait_at_our_own_pace_is_no_try_that_failed_and_lasts_no_longer(
    store: Writable[Tx], desk: Desk
) -> None:
    projecting = Projecting(store=store, desk=desk, pace=SLOW)
    await projecting.show(RUNNING)
    thread = await row(store)
    assert (desk.writes, thread.tries, thread.next_at) == (["+state:building"], 0, START + SPAN)
    for _ in range(3):
        # Others write each time when it could.
        desk.clock.advance(SPAN)
        for _ in range(2):
            await projecting.limiters.of(REPOSITORY).write(_nothing)
        await projecting.again()
        thread = await row(store)
        assert (thread.tries, thread.next_at - desk.clock.now()) == (0, SPAN)
    desk.clock.advance(SPAN)
    await projecting.again()
    assert desk.writes == ["+state:building", "comment"]


async def _nothing() -> None:
    """Write something elsewhere."""


async def test_nothing_is_read_while_nothing_may_be_written(store: Writable[Tx], desk: Desk) -> None:
    # gh-R-06
    projecting = Projecting(store=store, desk=desk, pace=SLOW)
    for _ in range(2):
        await projecting.limiters.of(REPOSITORY).write(_nothing)
    await projecting.show(WORK)
    assert desk.reads == 0
    desk.clock.advance(SPAN)
    await projecting.again()
    assert desk.writes == ["comment"]


async def test_a_wait_that_the_tracker_asks_for_is_kept_to_the_moment(store: Writable[Tx], desk: Desk) -> None:
    # gh-R-04
    desk.refusal = RateLimitedError(status=429, retry_after=7 * MINUTE)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(RUNNING)
    thread = await row(store)
    assert (thread.tries, thread.next_at) == (0, START + 7 * MINUTE)
    desk.refusal = None
    desk.clock.advance(7 * MINUTE)
    await projecting.again()
    assert "state:building" in desk.labels


async def test_a_tracker_that_is_down_is_tried_less_and_less_often(store: Writable[Tx], desk: Desk) -> None:
    desk.refusal = TrackerUnavailableError(status=502)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(RUNNING)
    waits = []
    for _ in range(3):
        thread = await row(store)
        waits.append(thread.next_at - desk.clock.now())
        desk.clock.advance(waits[-1])
        await projecting.again()
    assert waits == sorted(set(waits))


@pytest.mark.parametrize("status", [403, 404, 410, 422])
async def test_a_thread_that_was_refused_is_left_alone_until_something_changes(
    store: Writable[Tx], desk: Desk, status: int
) -> None:
    # ag-J06, gh-L-15
    desk.refusal = TrackerError("no", status=status)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(RUNNING)
    assert (await row(store)).parked == "no"
    reads = desk.reads
    desk.clock.advance(60 * MINUTE)
    await projecting.again()
    assert desk.reads == reads


def unlocked(tx: Tx) -> None:
    entry = IssueEvent(id=5, number=1, kind="unlocked", actor=None, label=None, created_at=START)
    accept_history(tx, HERE, 1, [(entry, EventId("evt-1"))], START)


def permitted(tx: Tx) -> None:
    handle_reach(ReachFact(owner=1, repositories=(), delivery="d"))(tx, START)


def opened(tx: Tx) -> None:
    handle_reach(ReachFact(owner=1, repositories=(1,), delivery="d"))(tx, START)


@pytest.mark.parametrize("happens", [unlocked, permitted, opened])
async def test_what_may_have_put_it_right_makes_a_parked_thread_due_at_once(
    store: Writable[Tx], desk: Desk, happens: object
) -> None:
    # ag-J06
    desk.refusal = TrackerError("locked", status=403)
    projecting = Projecting(store=store, desk=desk)
    await projecting.show(RUNNING)
    assert await parked(store)
    desk.refusal = None
    assert callable(happens)
    await store.write(happens)
    await projecting.again()
    assert not await parked(store)
    assert "state:building" in desk.labels


@pytest.mark.parametrize(
    "fact",
    [
        ReachFact(owner=2, repositories=(), delivery="d"),
        ReachFact(owner=1, repositories=(2,), delivery="d"),
    ],
)
async def test_what_happens_elsewhere_leaves_it_parked(store: Writable[Tx], desk: Desk, fact: ReachFact) -> None:
    desk.refusal = TrackerError("locked", status=403)
    await Projecting(store=store, desk=desk).show(RUNNING)
    await store.write(lambda tx: put_place(tx, repository=2))
    await store.write(lambda tx: handle_reach(fact)(tx, START))
    assert await parked(store)


async def test_what_else_is_in_the_history_leaves_it_parked(store: Writable[Tx], desk: Desk) -> None:
    desk.refusal = TrackerError("locked", status=403)
    await Projecting(store=store, desk=desk).show(RUNNING)
    entry = IssueEvent(id=5, number=1, kind="locked", actor=None, label=None, created_at=START)
    await store.write(lambda tx: accept_history(tx, HERE, 1, [(entry, EventId("evt-1"))], START))
    assert await parked(store)


async def test_scopes_are_told_apart(store: Writable[Tx], desk: Desk) -> None:
    desk.refusal = TrackerError("locked", status=403)
    await Projecting(store=store, desk=desk).show(RUNNING)
    assert await store.write(lambda tx: tx.threads.unpark_scope(owner_scope(2))) == 0
    assert await store.write(lambda tx: tx.threads.unpark_scope(repository_scope(1))) == 1
