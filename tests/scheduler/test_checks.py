"""The checks of a commit as input: only the newest counts, and only for the commit that is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.domain.brake import Brakes
from bot.domain.checks import Ended
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.ids import EventId, HoldId, WorkId
from bot.scheduler.checks import PATIENCE, checks_ended, checks_missing, head_published
from tests.scheduler.bench import Bench

WAITS = ("review", "checks")


async def ended(bench: Bench, work: WorkId, head: str, *red: str) -> bool:
    """Tell a Work how the checks of a commit ended. Returns whether that was news."""
    event = await bench.event(bench.ids.new("checks"))
    seen = await bench.work(work)
    hold, placed = HoldId(bench.ids.new("hld")), EventId(bench.ids.new("evt"))
    told = Ended(head=head, red=red, body=f"{head}: {', '.join(red)}")
    return await bench.do(
        lambda tx, now: checks_ended(
            tx, seen, event, told, brakes=Brakes(red_heads=3), hold=hold, placed=placed, now=now
        )
    )


async def published(bench: Bench, work: Work, head: str) -> None:
    await bench.do(lambda tx, now: head_published(tx, tx.works.get(work.id), head, now))


async def missing(bench: Bench, work: Work) -> bool:
    return await bench.do(lambda tx, now: checks_missing(tx, work, "new", now))


async def kinds(bench: Bench, work: Work) -> Sequence[tuple[str, str]]:
    return [(entry.kind, entry.body) for entry in await bench.pending(work.id)]


def test_a_sum_is_the_same_whatever_the_order_and_number_of_the_failed() -> None:
    def mark(*red: str, head: str = "a") -> str:
        return Ended(head=head, red=red, body="").mark

    assert mark("lint", "tests") == mark("tests", "lint", "lint")
    assert len({mark(), mark("lint"), mark("tests"), mark("lint", "tests"), mark(head="b")}) == 5


async def test_what_was_said_of_an_earlier_commit_is_forgotten_with_the_next_one(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.work(execution.work)
    await ended(bench, work.id, "old", "lint")
    assert await kinds(bench, work) == [("checks", "old: lint")]
    await published(bench, work, "old")
    assert await kinds(bench, work) == [("checks", "old: lint")]

    await published(bench, work, "new")
    assert await kinds(bench, work) == []
    waiting = (await bench.finished(execution.fence, Outcome.WAITING, waits=WAITS)).work
    assert waiting.state is WorkState.WAITING, "nothing old wakes it"


async def test_what_is_said_of_the_new_commit_before_its_run_has_ended_is_kept(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.work(execution.work)
    await ended(bench, work.id, "new", "lint")
    await published(bench, work, "new")
    assert (await bench.finished(execution.fence, Outcome.WAITING, waits=WAITS)).work.state is WorkState.READY


async def test_checks_that_passed_before_a_wait_for_them_alone_end_it_at_once(bench: Bench) -> None:
    for number, (waits, state) in enumerate([(("checks",), WorkState.READY), (WAITS, WorkState.WAITING)], start=1):
        execution = await bench.running(number)
        await ended(bench, execution.work, "new")
        assert (await bench.finished(execution.fence, Outcome.WAITING, waits=waits)).work.state is state


async def test_who_only_looks_at_a_change_is_not_held_for_commits_of_others(bench: Bench) -> None:
    looks = await bench.ready(1)
    makes = await bench.ready(2)
    await bench.do(lambda tx, now: tx.works.save(replace(tx.works.get(makes.id), pull_request=7), now))
    for head in ("one", "two", "three"):
        for work in (looks, makes):
            await ended(bench, work.id, head, "lint")
    held = await bench.see(lambda tx: [len(tx.holds.open(work.id)) for work in (looks, makes)])
    assert held == [0, 1]


async def test_work_that_has_ended_is_told_nothing(bench: Bench) -> None:
    execution = await bench.running()
    await bench.finished(execution.fence, Outcome.COMPLETED)
    assert not await ended(bench, execution.work, "new", "lint")
    assert (await bench.work(execution.work)).marks.checked == ""


# ag-C12
async def test_checks_that_do_not_appear_are_told_of_once_and_only_where_nothing_else_is_waited_for(
    bench: Bench,
) -> None:
    told = []
    for number, waits in enumerate([("checks",), WAITS], start=1):
        execution = await bench.running(number)
        work = (await bench.finished(execution.fence, Outcome.WAITING, waits=waits)).work
        for wait in (0, PATIENCE, 0):
            bench.clock.advance(wait)
            told.append(await missing(bench, work))
    assert told == [False, True, False, False, False, False]


# ag-C12
async def test_checks_that_appear_after_all_or_another_commit_end_the_complaint(bench: Bench) -> None:
    execution = await bench.running()
    work = (await bench.finished(execution.fence, Outcome.WAITING, waits=("checks",))).work

    async def missing() -> str:
        bench.clock.advance(PATIENCE)
        await bench.do(lambda tx, now: checks_missing(tx, work, "old", now))
        return (await bench.work(work.id)).marks.unchecked

    assert await missing() == "old"
    await published(bench, work, "old")
    assert (await bench.work(work.id)).marks.unchecked == "old"
    await published(bench, work, "new")
    assert (await bench.work(work.id)).marks.unchecked == ""
    assert await missing() == "old"
    await ended(bench, work.id, "old", "lint")
    assert (await bench.work(work.id)).marks.unchecked == ""
