"""Brakes: what starts again and again without getting anywhere is held until a person looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.clock import DAY, Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.brake import MOST_WORDS, Brakes, Marks
from bot.domain.execution import Execution, Fence
from bot.domain.hold import BRAKE, Hold
from bot.domain.result import Outcome
from bot.domain.wait import Awaited
from bot.domain.work import Work
from bot.errors import StaleEpochError
from bot.ids import EventId, HoldId
from bot.scheduler.brakes import Braked, brake, green_head, published, red_head
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed
from bot.scheduler.holds import Release, Released, release_hold
from bot.scheduler.router import add_input
from tests.factories import UNLIMITED
from tests.scheduler.bench import Bench
from tests.scheduler.parking import parked

BRAKES = Brakes(starts=3, window=DAY, repository_starts=1_000, red_heads=3)


def terms(**changes: Any) -> Terms:
    return Terms(pool="agents", limits=UNLIMITED, brakes=replace(BRAKES, **changes))


TERMS = terms()


async def start(bench: Bench, work: Work) -> Claimed:
    claimed = await bench.try_claim(work, terms=TERMS)
    assert isinstance(claimed, Claimed), claimed
    return claimed


async def turn(bench: Bench, work: Work, *, word: str = "help", outcome: Outcome = Outcome.WAITING) -> None:
    """Let a Work start and end with a word, then be woken by what is no person's input."""
    claimed = await start(bench, work)
    await bench.finished(claimed.execution.fence, outcome, status=word, waits=("checks",))
    await tick(bench, work)


async def tick(bench: Bench, work: Work) -> None:
    event = await bench.event(bench.ids.new("evt"))
    await bench.do(lambda tx, now: add_input(tx, work, event, kind="checks", author="", body="", now=now))


async def said(bench: Bench, work: Work, *, kind: str = "comment", author: str = "ada") -> None:
    event = await bench.event(bench.ids.new("evt"))
    await bench.do(lambda tx, now: add_input(tx, work, event, kind=kind, author=author, body="hm", now=now))


async def trip(bench: Bench, work: Work, given: Terms = TERMS) -> Braked | None:
    hold, event = HoldId(bench.ids.new("hld")), EventId(bench.ids.new("evt"))
    return await bench.do(lambda tx, now: brake(tx, work.id, terms=given, hold=hold, event=event, now=now))


async def tripped(bench: Bench, count: int = 3) -> Work:
    """Return a Work that has started so often and got nowhere."""
    work = await bench.ready()
    await turn(bench, work)
    for _ in range(count):
        await turn(bench, work)
    return await bench.work(work.id)


async def push(bench: Bench, fence: Fence, head: str) -> None:
    """Let an attempt publish a commit."""
    await bench.do(lambda tx, now: published(tx, fence, head, now))


async def held(bench: Bench, work: Work) -> list[Hold]:
    return list(await bench.see(lambda tx: tx.holds.open(work.id)))


async def release(bench: Bench, hold: Hold) -> Released:
    told = Release(hold=hold.id, by="ada", reason="", event=EventId(bench.ids.new("evt")))
    return await bench.do(lambda tx, now: release_hold(tx, told, now))


# ag-C02
async def test_a_work_that_starts_too_often_without_progress_is_held_until_a_person_looks(bench: Bench) -> None:
    work = await tripped(bench)
    refused = await bench.try_claim(work, terms=TERMS)
    assert refused == Refused(reason=Reason.BRAKE, detail="3 starts without progress in 24 h")
    assert await trip(bench, work) is not None
    (hold,) = await held(bench, work)
    assert (hold.holder, hold.person, hold.reason) == (BRAKE, None, "3 starts without progress in 24 h")
    assert await bench.refusal(work, terms=TERMS) is Reason.HELD


# ag-C02
async def test_up_to_the_limit_it_starts(bench: Bench) -> None:
    """The negative control: one start less trips nothing."""
    work = await tripped(bench, count=2)
    assert await trip(bench, work) is None
    assert await held(bench, work) == []
    await start(bench, work)


# ag-C02
async def test_a_trip_places_one_hold_however_often_it_is_seen(bench: Bench) -> None:
    work = await tripped(bench)
    assert await trip(bench, work) is not None
    assert await trip(bench, work) is None
    assert len(await held(bench, work)) == 1


async def test_a_brake_holds_nothing_that_has_ended(bench: Bench) -> None:
    work = await tripped(bench)
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    assert await trip(bench, work) is None


# ag-C02
@pytest.mark.parametrize("kind", ["comment", "review"])
async def test_what_a_person_says_is_progress(bench: Bench, kind: str) -> None:
    work = await tripped(bench)
    await said(bench, work, kind=kind)
    await start(bench, work)
    assert len((await bench.work(work.id)).marks.starts) == 1


# ag-C02
@pytest.mark.parametrize(("kind", "author"), [("comment", ""), ("checks", "ada"), ("turn", "")])
async def test_what_no_person_says_is_none(bench: Bench, kind: str, author: str) -> None:
    work = await tripped(bench)
    await said(bench, work, kind=kind, author=author)
    assert await bench.refusal(work, terms=TERMS) is Reason.BRAKE


async def test_going_on_with_a_parked_attempt_is_no_start(bench: Bench) -> None:
    """An executor that looks again and again in one attempt is bounded by that attempt's time."""
    work = await bench.ready()
    for _ in range(BRAKES.starts + 2):
        execution = await bench.run((await start(bench, work)).execution.fence)
        await parked(bench, execution, Awaited(kinds=("checks",)))
        await tick(bench, work)
    assert (execution.number, len((await bench.work(work.id)).marks.starts)) == (1, 1)


# ag-C02
async def test_what_a_person_says_does_not_lift_the_hold(bench: Bench) -> None:
    work = await tripped(bench)
    await trip(bench, work)
    await said(bench, work)
    assert await bench.refusal(work, terms=TERMS) is Reason.HELD


async def test_a_new_status_word_is_progress(bench: Bench) -> None:
    work = await bench.ready()
    for word in ("help", "help", "review", "review", "review"):
        await turn(bench, work, word=word)
    assert len((await bench.work(work.id)).marks.starts) == 2
    await start(bench, work)


async def test_going_back_and_forth_between_two_words_is_none(bench: Bench) -> None:
    work = await bench.ready()
    for word in ("help", "review", "help", "review", "help"):
        await turn(bench, work, word=word)
    assert await bench.refusal(work, terms=TERMS) is Reason.BRAKE


def test_a_new_word_for_every_turn_is_none_in_the_end() -> None:
    marks = Marks(starts=(Millis(1),))
    for number in range(MOST_WORDS):
        marks = marks.ended(f"word-{number}")
        assert marks.starts == ()
    assert replace(marks, starts=(Millis(2),)).ended("another").starts == (Millis(2),)


async def test_the_word_of_a_failed_attempt_is_none(bench: Bench) -> None:
    claimed = await bench.claimed()
    work = await bench.fail(claimed.execution.fence, status="review")
    assert (len(work.marks.starts), work.marks.words) == (1, ())


async def test_a_new_commit_that_was_published_is_progress_and_the_same_one_is_not(bench: Bench) -> None:
    work = await bench.ready()
    seen = []
    for head in ("one", "one", "two"):
        claimed = await start(bench, work)
        fence = claimed.execution.fence
        await push(bench, fence, head)
        await bench.finished(fence, Outcome.WAITING, waits=("checks",))
        await tick(bench, work)
        seen.append(len((await bench.work(work.id)).marks.starts))
    assert seen == [0, 1, 0]


async def test_a_commit_is_noted_under_the_fence_only(bench: Bench) -> None:
    claimed = await bench.claimed()
    await bench.recovered(claimed.execution.id)
    with pytest.raises(StaleEpochError):
        await bench.do(lambda tx, now: published(tx, claimed.execution.fence, "one", now))


async def test_starts_count_within_the_window_only(bench: Bench) -> None:
    work = await tripped(bench)
    bench.clock.advance(DAY - 1)
    assert await bench.refusal(work, terms=TERMS) is Reason.BRAKE
    bench.clock.advance(1)
    await start(bench, work)
    assert len((await bench.work(work.id)).marks.starts) == 1, "what has left the window is forgotten"


# ag-C02
async def test_a_person_who_releases_it_lets_it_go_on(bench: Bench) -> None:
    work = await tripped(bench)
    await trip(bench, work)
    (hold,) = await held(bench, work)
    assert await release(bench, hold) is Released.DONE
    await start(bench, work)
    for _ in range(2):
        await bench.finished((await live(bench, work)).fence, Outcome.WAITING, status="help", waits=("checks",))
        await tick(bench, work)
        await start(bench, work)
    await bench.finished((await live(bench, work)).fence, Outcome.WAITING, status="help", waits=("checks",))
    await tick(bench, work)
    assert await bench.refusal(work, terms=TERMS) is Reason.BRAKE, "and it trips again"


async def live(bench: Bench, work: Work) -> Execution:
    found = await bench.see(lambda tx: tx.executions.live_of(work.id))
    assert found is not None
    return found


# ag-H08
async def test_a_repository_has_so_many_starts_a_day_and_others_have_theirs(bench: Bench) -> None:
    few = terms(repository_starts=2)
    for number in (1, 2):
        assert isinstance(await bench.try_claim(await bench.ready(number), terms=few), Claimed)
    third = await bench.ready(3)
    refused = await bench.try_claim(third, terms=few)
    assert refused == Refused(reason=Reason.BRAKE, detail="2 starts in owner-1/repo-1 today")
    assert isinstance(await bench.try_claim(await bench.ready(1, repository=2), terms=few), Claimed)
    bench.clock.advance(DAY)
    assert isinstance(await bench.try_claim(third, terms=few), Claimed), "another day"


# ag-H08
async def test_runs_that_all_end_well_count_too(bench: Bench) -> None:
    few = terms(repository_starts=2)
    for number in (1, 2):
        claimed = await bench.try_claim(await bench.ready(number), terms=few)
        assert isinstance(claimed, Claimed)
        await bench.finished(claimed.execution.fence, Outcome.COMPLETED, status="done")
    assert await bench.refusal(await bench.ready(3), terms=few) is Reason.BRAKE


# ag-H08
async def test_a_person_lets_a_work_start_although_its_repository_has_started_too_often(bench: Bench) -> None:
    few = terms(repository_starts=1)
    assert isinstance(await bench.try_claim(await bench.ready(1), terms=few), Claimed)
    work, other = await bench.ready(2), await bench.ready(3)
    assert await trip(bench, work, few) is not None
    (hold,) = await held(bench, work)
    await release(bench, hold)
    assert isinstance(await bench.try_claim(work, terms=few), Claimed)
    assert await bench.refusal(other, terms=few) is Reason.BRAKE, "the one that was released only"


async def red(bench: Bench, work: Work, head: str) -> Work:
    hold, event = HoldId(bench.ids.new("hld")), EventId(bench.ids.new("evt"))
    return await bench.do(
        lambda tx, now: red_head(tx, tx.works.get(work.id), head, brakes=BRAKES, hold=hold, event=event, now=now)
    )


# ag-C10
async def test_three_failing_commits_in_a_row_hold_the_work_and_are_named(bench: Bench) -> None:
    work = await bench.ready()
    for head in ("1111111111", "2222222222"):
        await red(bench, work, head)
        assert await held(bench, work) == []
    await red(bench, work, "3333333333")
    (hold,) = await held(bench, work)
    assert (hold.holder, hold.reason) == (BRAKE, "3 failing commits in a row: 1111111, 2222222, 3333333")


# ag-C10
async def test_the_same_failing_commit_counts_once(bench: Bench) -> None:
    work = await bench.ready()
    for head in ("one", "two", "two", "one"):
        await red(bench, work, head)
    assert await held(bench, work) == []
    assert (await bench.work(work.id)).marks.reds == ("one", "two")


# ag-C10
async def test_a_commit_whose_checks_pass_begins_the_count_anew(bench: Bench) -> None:
    work = await bench.ready()
    for head in ("one", "two"):
        await red(bench, work, head)
    await bench.do(lambda tx, now: green_head(tx, tx.works.get(work.id), now))
    for head in ("three", "four"):
        await red(bench, work, head)
    assert await held(bench, work) == []


# ag-C10
async def test_what_a_person_says_begins_the_count_of_failing_commits_anew(bench: Bench) -> None:
    work = await bench.ready()
    for head in ("one", "two"):
        await red(bench, work, head)
    await said(bench, work)
    await red(bench, work, "three")
    assert await held(bench, work) == []


async def test_a_word_or_a_commit_does_not_hide_failing_commits(bench: Bench) -> None:
    """Each fix is a new commit: if that reset the count, it would never be reached."""
    work = await bench.ready()
    for head in ("one", "two", "three"):
        claimed = await start(bench, work)
        await push(bench, claimed.execution.fence, head)
        await bench.finished(claimed.execution.fence, Outcome.WAITING, status=f"word-{head}", waits=("checks",))
        await red(bench, work, head)
        await tick(bench, work)
    assert len(await held(bench, work)) == 1


async def test_checks_of_a_work_that_has_ended_change_nothing(bench: Bench) -> None:
    work = await bench.ready()
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    await red(bench, work, "one")
    await bench.do(lambda tx, now: green_head(tx, tx.works.get(work.id), now))
    assert (await bench.work(work.id)).marks.reds == ()
