"""What a Work waits for, and what wakes it: input, other Work's words, a moment; each once, and none is missed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from bot.clock import MINUTE, SECOND, Millis
from bot.domain.event import Routing
from bot.domain.execution import Execution
from bot.domain.result import Ending, Outcome, Result
from bot.domain.timer import TimerKind
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Dependency
from bot.domain.work import Work, WorkState
from bot.ids import WorkId
from bot.scheduler.cancel import cancel
from bot.scheduler.finish import Finished
from bot.scheduler.turns import publish_turn
from bot.storage.contract import Tx
from tests.scheduler.bench import Bench
from tests.scheduler.parking import alarm, on, parked, resumed
from tests.storage.backend import Backend
from tests.storage.twice import Writable
from tests.storage.unreadable import BREAKING, break_row

KEY = "item:1/2"
"""The key of the item that is waited for."""


async def waiting(bench: Bench, awaited: Awaited, number: int = 1) -> Work:
    """Return a Work whose attempt ended and which waits."""
    execution = await bench.running(number)
    return (await bench.finished(execution.fence, Outcome.WAITING, awaited=awaited)).work


async def says(bench: Bench, execution: Execution, status: str, outcome: Outcome = Outcome.HANDOFF) -> None:
    """End an attempt with a word."""
    await bench.result(execution.fence, Result(ok=True, turn=Turn(status=status)))
    await bench.finished(execution.fence, outcome)


async def sharing(bench: Bench, number: int, key: str) -> Execution:
    """Return a running attempt of a Work that owns this key alone."""
    return await bench.run((await bench.claim(await bench.ready(number, keys=(key,)))).execution.fence)


async def subscribed(bench: Bench, work: WorkId) -> list[str]:
    return [each.key for each in await bench.see(lambda tx: tx.subscriptions.of_work(work))]


# C-105
@pytest.mark.parametrize("outcome", [each for each in Outcome if each is not Outcome.DEFERRED])
def test_an_end_waits_for_something_or_does_not_wait(outcome: Outcome) -> None:
    waits = outcome is Outcome.WAITING
    with pytest.raises(ValueError, match="waiting"):
        Ending(outcome=outcome, awaited=None if waits else Awaited(kinds=("comment",)))
    assert Ending(outcome=outcome, awaited=Awaited(kinds=("comment",)) if waits else None).outcome is outcome


# C-105
def test_a_wait_that_nothing_could_end_is_refused() -> None:
    with pytest.raises(ValueError, match="what ends it"):
        Awaited()
    assert Awaited(until=Millis(1)).kinds == ()


# C-105, C-120
async def test_a_result_without_a_wait_never_leaves_its_work_waiting(bench: Bench) -> None:
    """The host's own finished result is accepted; of itself it waits for nothing."""
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, summary="well", turn=Turn(status="waiting"), units={"usd": 1}))
    ended = await bench.finished(execution.fence, Outcome.HANDOFF, summary="well")
    assert (ended.work.state, ended.work.usage) == (WorkState.READY, {"usd": 1.0})
    assert (ended.execution.outcome, ended.execution.summary) == (Outcome.HANDOFF, "well")


# C-97
async def test_a_word_of_other_work_wakes_the_one_that_waits_for_it(bench: Bench) -> None:
    other = await bench.running(2)
    work = await waiting(bench, on(KEY, "done", "approved"))
    assert (work.state, await subscribed(bench, work.id)) == (WorkState.WAITING, [KEY])
    await says(bench, other, "approved")
    woken = await bench.work(work.id)
    assert (woken.state, await bench.kinds(work.id)) == (WorkState.READY, ["turn"])
    assert await subscribed(bench, work.id) == []
    following = (await bench.claim(woken)).execution
    assert (following.number, following.trigger) == (2, f"turn/{other.id}/1/{KEY}")
    unmatched = await bench.see(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    assert [event.natural_key for event in unmatched] == [following.trigger], "to its own Work it is nobody's input"


# C-97 (negative controls)
@pytest.mark.parametrize(
    ("key", "status"), [("item:1/3", "done"), (KEY, "review")], ids=["another key", "another word"]
)
async def test_another_word_or_key_wakes_nobody(bench: Bench, key: str, status: str) -> None:
    other = await bench.running(2)
    work = await waiting(bench, on(key, "done"))
    await says(bench, other, status)
    assert (await bench.work(work.id), await bench.pending(work.id)) == (work, [])


# C-97, C-99
async def test_any_word_wakes_one_that_names_none(bench: Bench) -> None:
    other = await bench.running(2)
    work = await waiting(bench, on(KEY))
    await says(bench, other, "whatever")
    assert (await bench.work(work.id)).state is WorkState.READY


# C-97, C-36
async def test_a_word_of_other_work_resumes_a_parked_attempt(bench: Bench) -> None:
    other = await bench.running(2)
    execution = await bench.running(1)
    work = await parked(bench, execution, on(KEY, "done"))
    await says(bench, other, "done")
    again = (await bench.claim(await bench.work(work.id))).execution
    assert (again.id, again.segments.open.wake) == (execution.id, f"turn/{other.id}/1/{KEY}")


# C-97, C-93
async def test_a_word_wakes_whatever_became_of_the_attempt_that_said_it(bench: Bench) -> None:
    other = await bench.running(2)
    work = await waiting(bench, on(KEY, "help"))
    await bench.result(other.fence, Result(ok=False, turn=Turn(status="help")))
    await bench.fail(other.fence)
    assert (await bench.work(work.id)).state is WorkState.READY


# C-97
async def test_a_word_that_was_said_while_the_waiter_still_ran_is_not_missed(bench: Bench) -> None:
    other, waiter = await bench.running(2), await bench.running(1)
    await says(bench, other, "done")
    await says(bench, await bench.run((await _again(bench, other)).fence), "review")
    ended = await bench.finished(waiter.fence, Outcome.WAITING, awaited=on(KEY, "done"))
    assert (ended.work.state, await bench.kinds(waiter.work)) == (WorkState.READY, ["turn"])


async def _again(bench: Bench, execution: Execution) -> Execution:
    """Start the next attempt of a Work that handed back."""
    return (await bench.claim(await bench.comment(execution.work, f"again {execution.id}"))).execution


# C-97
async def test_any_word_that_was_said_before_the_waiter_took_up_its_input_counts_for_nothing(bench: Bench) -> None:
    await says(bench, await bench.running(2), "done")
    work = await waiting(bench, on(KEY))
    assert work.state is WorkState.WAITING


# C-97
async def test_a_named_word_that_stands_already_is_not_waited_for(bench: Bench) -> None:
    """#12 may have been done for long: nobody will say so again."""
    await says(bench, await bench.running(2), "done")
    work = await waiting(bench, on(KEY, "done"))
    assert (work.state, await bench.kinds(work.id)) == (WorkState.READY, ["turn"])


# C-97
async def test_a_named_word_that_does_not_stand_any_more_is_waited_for(bench: Bench) -> None:
    other = await bench.running(2)
    await says(bench, other, "done")
    await says(bench, await bench.run((await _again(bench, other)).fence), "building")
    assert (await waiting(bench, on(KEY, "done"))).state is WorkState.WAITING


# C-97
async def test_a_word_wakes_a_work_once_however_often_it_waits_for_it(bench: Bench) -> None:
    other = await bench.running(2)
    work = await waiting(bench, on(KEY, "done"))
    await says(bench, other, "done")
    following = await bench.run((await bench.claim(await bench.work(work.id))).execution.fence)
    ended = await bench.finished(following.fence, Outcome.WAITING, awaited=on(KEY, "done"))
    assert ended.work.state is WorkState.WAITING, "else it would start again and again"
    again = await bench.run((await _again(bench, other)).fence)
    await says(bench, again, "done")
    assert (await bench.work(work.id)).state is WorkState.READY


# C-98
@pytest.mark.parametrize("resumes", [False, True], ids=["ended", "parked"])
async def test_a_work_is_never_woken_by_its_own_word(bench: Bench, *, resumes: bool) -> None:
    """It waits for a word under a key of its own, which it shares with other Work, and says that word."""
    execution = await bench.running(1)
    own, awaited = (await bench.work(execution.work)).item, on((await bench.work(execution.work)).item, "done")
    turn = Turn(status="done")
    if resumes:
        await parked(bench, execution, awaited, turn=turn)
    else:
        await bench.result(execution.fence, Result(ok=True, turn=turn))
        await bench.finished(execution.fence, Outcome.WAITING, awaited=awaited)
    work = await bench.work(execution.work)
    assert (work.state, await bench.pending(work.id)) == (WorkState.WAITING, [])

    reviewer = await sharing(bench, 3, own)
    await says(bench, reviewer, "done")
    assert (await bench.work(work.id)).state is WorkState.READY, "the same word of other Work does wake it"


# C-98, C-96
async def test_a_work_is_not_woken_by_its_own_word_either_when_it_is_published_late(bench: Bench) -> None:
    """Whenever the transition may be repeated: also once the Work waits already."""
    execution = await bench.running(1)
    item = (await bench.work(execution.work)).item
    work = (await bench.finished(execution.fence, Outcome.WAITING, awaited=on(item))).work
    late = Turn(status="done")
    assert await bench.do(lambda tx, now: publish_turn(tx, work, execution, late, now)) == 1
    assert (await bench.work(work.id), await bench.pending(work.id)) == (work, [])


# C-98
async def test_two_works_that_share_a_key_wake_each_other_and_not_themselves(bench: Bench) -> None:
    first = await sharing(bench, 1, "pr:1/9")
    second = await sharing(bench, 2, "pr:1/9")
    for execution in (first, second):
        await bench.result(execution.fence, Result(ok=True, turn=Turn(status="done")))
        await bench.finished(execution.fence, Outcome.WAITING, awaited=on("pr:1/9"))
    states = [(await bench.work(each.work)).state for each in (first, second)]
    # The second word finds the first Work waiting; the first word was said while the second Work still ran.
    assert states == [WorkState.READY, WorkState.READY]
    for own, other in ((first, second), (second, first)):
        assert [entry.event for entry in await bench.pending(own.work)] == [f"turn/{other.id}/1/pr:1/9"]


# C-122
async def test_the_moment_ends_a_wait_that_nothing_else_ended(bench: Bench) -> None:
    until = Millis(bench.clock.now() + 10 * MINUTE)
    work = await waiting(bench, Awaited(kinds=("comment",), until=until))
    timer = await alarm(bench, work.id)
    assert timer is not None
    bench.clock.advance(10 * MINUTE - 1)
    assert list(await bench.see(lambda tx: tx.timers.due(bench.clock.now()))) == []
    bench.clock.advance(1)
    assert await bench.fire(timer)
    assert not await bench.fire(timer), "once"
    woken = await bench.work(work.id)
    assert (woken.state, woken.waits, await bench.kinds(work.id)) == (WorkState.READY, (), ["wait"])


# C-36, C-122
async def test_the_moment_resumes_a_parked_attempt_as_often_as_it_parks(bench: Bench) -> None:
    execution = await bench.running()
    for epoch in (2, 3):
        await parked(bench, execution, Awaited(until=Millis(bench.clock.now() + MINUTE)))
        timer = await alarm(bench, execution.work)
        assert timer is not None
        bench.clock.advance(MINUTE)
        assert await bench.fire(timer)
        execution = (await bench.claim(await bench.work(execution.work))).execution
        assert (execution.number, execution.epoch) == (1, epoch)
        execution = await bench.run(execution.fence)


# C-127
async def test_whatever_wakes_first_the_rest_of_the_wait_is_forgotten(bench: Bench) -> None:
    other = await bench.running(2)
    awaited = Awaited(
        kinds=("comment",), dependencies=(Dependency(key=KEY),), until=Millis(bench.clock.now() + 10 * SECOND)
    )
    work = await waiting(bench, awaited)
    stale = await alarm(bench, work.id)
    assert stale is not None
    woken = await bench.comment(work.id)
    assert (woken.state, woken.waits, await subscribed(bench, work.id)) == (WorkState.READY, (), [])
    bench.clock.advance(10 * SECOND)
    assert not await bench.fire(stale)
    await says(bench, other, "done")
    assert await bench.kinds(work.id) == ["comment"]


# C-141
async def test_a_work_that_ends_waits_for_nothing_any_more(bench: Bench) -> None:
    other = await bench.running(2)
    work = await waiting(bench, Awaited(dependencies=(Dependency(key=KEY),), until=Millis(bench.clock.now() + MINUTE)))
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    assert (await subscribed(bench, work.id), await alarm(bench, work.id)) == ([], None)
    await says(bench, other, "done")
    assert (await bench.work(work.id)).state is WorkState.CANCELLED


# C-185
async def test_a_held_work_is_woken_and_stays_held(bench: Bench) -> None:
    """What wakes it is queued; the hold alone keeps it then."""
    other = await bench.running(2)
    work = await waiting(bench, on(KEY, "done"))
    await says(bench, other, "done")
    assert (await bench.work(work.id)).state is WorkState.READY
    timers = await bench.see(lambda tx: [tx.timers.of_work(work.id, kind) for kind in TimerKind])
    assert timers == [None] * len(TimerKind)


# C-85
async def test_an_end_that_waits_is_not_held_up_by_what_is_not_routed_yet(bench: Bench) -> None:
    """Only completion could overtake it: Work that waits is found by it."""
    execution = await bench.running()
    item = (await bench.work(execution.work)).item
    await bench.event("late", routing=Routing.PENDING, keys=(item,))
    answer = await bench.finish(execution.fence, Outcome.WAITING)
    assert isinstance(answer, Finished)
    assert answer.work.state is WorkState.WAITING


# C-36
async def test_what_a_resumed_attempt_says_derives_from_what_woke_it(bench: Bench) -> None:
    execution = await bench.running()
    again = await bench.run((await resumed(bench, await parked(bench, execution), "answer")).fence)
    assert (execution.cause, again.trigger, again.cause) == (execution.trigger, execution.trigger, "evt-answer")
    await says(bench, again, "done")
    (event,) = await bench.see(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    assert event.cause == "evt-answer"


class TestUnreadable:
    @pytest.fixture
    async def store(self, backend: Backend, place: str) -> AsyncIterator[Writable[Tx]]:
        opened = await backend.open(place, bind=Tx, more=[BREAKING])
        yield opened
        await opened.close()

    # gh-Z-01, C-97
    async def test_one_that_waits_and_cannot_be_read_keeps_no_other_from_saying_its_word(self, bench: Bench) -> None:
        other = await bench.running(2)
        work = await waiting(bench, on(KEY))
        third = await waiting(bench, on(KEY), number=3)
        await bench.store.write(lambda tx: break_row(tx, "work", work.id))
        await says(bench, other, "done")
        assert (await bench.work(other.work)).state is not WorkState.RUNNING
        assert (await bench.work(third.id)).state is WorkState.READY
