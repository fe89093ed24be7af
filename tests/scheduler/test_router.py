"""Events become Work or input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.event import Event
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.scheduler.cancel import cancel
from bot.scheduler.router import add_input, open_work
from tests.factories import make_work, put_event, put_work
from tests.scheduler.bench import Bench


async def opens(bench: Bench, work: Work) -> Work | None:
    return await bench.do(lambda tx, _: put_work(tx, work))


async def ends(bench: Bench, work: Work) -> None:
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))


async def adds(bench: Bench, work: Work, event: Event, kind: str = "comment") -> Work:
    return await bench.do(lambda tx, now: add_input(tx, work, event, kind=kind, author="eve", body="hi", now=now))


async def test_the_event_that_opens_a_work_is_its_first_input(bench: Bench) -> None:
    work = await opens(bench, make_work())
    assert work is not None
    (entry,) = await bench.pending(work.id)
    assert (entry.event, entry.kind, entry.author) == (f"evt-label/{work.id}", "label", "ada")
    found = await bench.see(lambda tx: tx.works.live_by_key("item:1/1"))
    assert found == [await bench.work(work.id)]


async def test_an_item_has_one_live_work_of_a_playbook(bench: Bench) -> None:
    first = await opens(bench, make_work())
    assert await opens(bench, make_work(id="wrk-second")) is None
    other = await opens(bench, make_work(id="wrk-other", playbook="review-pr"))
    assert other is not None
    assert first is not None
    live = await bench.see(lambda tx: tx.works.all_live())
    assert sorted(work.id for work in live) == sorted([first.id, other.id])


async def test_a_work_that_is_not_opened_writes_nothing(bench: Bench) -> None:
    await opens(bench, make_work())
    event = await bench.do(lambda tx, now: put_event(tx, "again", now=now))
    second = make_work(id="wrk-second")
    assert await bench.do(lambda tx, _: open_work(tx, second, event, keys=("k",), kind="label")) is None
    assert await bench.see(lambda tx: tx.works.find(second.id)) is None
    assert await bench.pending(second.id) == []


# C-127
@pytest.mark.parametrize("state", [WorkState.COMPLETED, WorkState.CANCELLED, WorkState.FAILED])
async def test_a_work_that_has_ended_is_followed_by_another_run(bench: Bench, state: WorkState) -> None:
    first = await opens(bench, make_work())
    assert first is not None
    worn = replace(first, state=state, failures=3, attempts=4, gate_pass="r", usage={"usd": 9.0})  # noqa: S106 - no secret
    await bench.do(lambda tx, now: tx.works.save(worn, now))
    second = await opens(bench, make_work(id="wrk-second", branch="trackside/1-2", pull_request=None))
    assert second is not None
    stored = await bench.work(second.id)
    assert (stored.run, stored.state) == (2, WorkState.READY)
    assert (stored.failures, stored.attempts, stored.gate_pass) == (0, 0, None)
    assert stored.branch == "trackside/1-2", "which branch it goes on from is for the caller to say"
    assert (await bench.see(lambda tx: tx.works.latest("item:1/1", "work-issue"))) == stored


async def test_input_is_queued_in_the_order_of_acceptance(bench: Bench) -> None:
    work = await bench.ready()
    early, late = await bench.event("early"), await bench.event("late")
    await adds(bench, work, late)
    await adds(bench, work, early)
    assert [entry.event for entry in await bench.pending(work.id)] == [
        "evt-label/wrk-1-1",
        "evt-early",
        "evt-late",
    ]


# C-127
async def test_an_event_that_a_work_had_before_does_not_wake_it_again(bench: Bench) -> None:
    work = await bench.ready()
    event = await bench.event("said")
    await adds(bench, work, event)
    execution = (await bench.claim(work)).execution
    waiting = (await bench.finished(execution.fence, Outcome.WAITING, waits=("comment",))).work
    assert (await adds(bench, waiting, event)).state is WorkState.WAITING
    assert await bench.pending(work.id) == []


async def test_a_work_that_waits_by_now_is_woken_also_from_an_older_copy(bench: Bench) -> None:
    """What a router read may have changed before its transaction: a wake must not get lost over that."""
    execution = await bench.running()
    older = await bench.work(execution.work)
    await bench.finished(execution.fence, Outcome.WAITING, waits=("comment",))
    woken = await adds(bench, older, await bench.event("said"))
    assert woken.state is WorkState.READY
    assert await bench.work(older.id) == woken


async def test_two_events_wake_a_waiting_work_once(bench: Bench) -> None:
    execution = await bench.running()
    waiting = (await bench.finished(execution.fence, Outcome.WAITING, waits=("comment",))).work
    await adds(bench, waiting, await bench.event("one"))
    woken = await adds(bench, waiting, await bench.event("two"))
    assert woken.state is WorkState.READY
    assert await bench.kinds(woken.id) == ["comment", "comment"]


async def test_input_for_an_exhausted_work_waits_for_a_person(bench: Bench) -> None:
    execution = await bench.running()
    tired = await bench.fail(execution.fence, permanent=True)
    assert (await adds(bench, tired, await bench.event("said"))).state is WorkState.EXHAUSTED
    assert await bench.kinds(tired.id) == ["label", "comment"]


async def test_the_same_event_is_input_to_every_work_that_it_concerns(bench: Bench) -> None:
    one = await bench.ready()
    two = await bench.ready(playbook="review-pr", id="wrk-other")
    event = await bench.event("said")
    await adds(bench, one, event)
    await adds(bench, two, event)
    execution = (await bench.claim(one)).execution
    assert await bench.kinds(one.id) == []
    assert await bench.kinds(two.id) == ["label", "comment"]
    other = (await bench.claim(two)).execution
    assert await bench.consumed(execution) == ["evt-label/wrk-1-1", "evt-said"]
    assert await bench.consumed(other) == ["evt-label/wrk-other", "evt-said"]
