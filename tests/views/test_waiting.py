"""What people are told of a Work that waits."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import MINUTE, Millis
from bot.domain.result import Outcome, Result
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Dependency
from bot.domain.work import Work
from bot.scheduler.cancel import cancel
from bot.views.query import Threads
from bot.views.standing import Explain
from bot.views.thread import BlockerView, ThreadState, WorkView
from tests.factories import TERMS, make_work, put_work
from tests.playbook.samples import small
from tests.scheduler.bench import Bench
from tests.scheduler.parking import on, parked

PLAYBOOK = small()
EXPLAIN = Explain(known=lambda _: True, terms=lambda _: TERMS)
THREADS = Threads(playbooks={"work-issue": PLAYBOOK}, explain=EXPLAIN)
KEY = "item:1/2"


async def view(bench: Bench, work: Work) -> WorkView:
    now = bench.clock.now()
    (section,) = (await bench.see(lambda tx: THREADS.view(tx, work.item, now))).sections
    return section


async def line(bench: Bench, work: Work) -> str:
    now = bench.clock.now()
    return await bench.see(lambda tx: EXPLAIN.line(tx, tx.works.get(work.id), now))


async def thread(bench: Bench, work: Work) -> int:
    """Return the version in which a thread is to be shown."""
    found = await bench.see(lambda tx: tx.threads.get(work.item))
    assert found is not None
    return found.wanted


async def test_a_parked_work_shows_what_kinds_of_input_it_waits_for(bench: Bench) -> None:
    work = await parked(bench, await bench.running(), Awaited(kinds=("review", "comment")))
    shown = await view(bench, work)
    assert (shown.state, shown.waits, shown.blockers) == (ThreadState.WAITING, ("review", "comment"), ())
    assert await line(bench, work) == "**work-issue**: Waiting for review or comment."


async def test_a_parked_work_without_a_word_does_not_look_as_if_it_were_running(bench: Bench) -> None:
    claimed = await bench.claimed(running=PLAYBOOK.running)
    execution = await bench.run(claimed.execution.fence)
    assert (await view(bench, claimed.work)).status == "tidying"
    work = await bench.work(execution.work)
    answer = await parked(bench, execution)
    assert answer.status == "review", "what the bench names"
    await bench.do(lambda tx, now: tx.works.save(replace(tx.works.get(work.id), status=PLAYBOOK.running), now))
    shown = await view(bench, work)
    assert (shown.status, shown.status_label) == (None, "state:tidying")


# C-97
async def test_a_work_that_waits_for_another_names_its_item(bench: Bench) -> None:
    await bench.ready(2)
    execution = await bench.running(1)
    until = Millis(bench.clock.now() + 30 * MINUTE)
    awaited = Awaited(
        kinds=("comment",),
        dependencies=(Dependency(key=KEY, statuses=("done",)), Dependency(key="branch:1/x")),
        until=until,
    )
    ended = await bench.finished(execution.fence, Outcome.WAITING, awaited=awaited)
    shown = await view(bench, ended.work)
    assert shown.state is ThreadState.BLOCKED
    assert shown.blockers == (BlockerView(number=2, words=("done",)),)
    assert (shown.waits, shown.next_at) == (("comment", "branch:1/x"), until)
    assert await line(bench, ended.work) == (
        "**work-issue**: Waiting for comment or branch:1/x or #2, until 22:43 UTC at the latest."
    )


async def test_an_item_of_another_repository_is_named_with_it(bench: Bench) -> None:
    other = make_work(5, repository=2)
    await bench.do(lambda tx, _: put_work(tx, other))
    work = await parked(bench, await bench.running(1), on(other.item))
    (blocker,) = (await view(bench, work)).blockers
    assert (blocker.name, blocker.words) == ("owner-1/repo-2#5", ())
    assert await line(bench, work) == "**work-issue**: Waiting for owner-1/repo-2#5."


# C-104
async def test_a_work_that_has_nothing_to_work_on_says_what_came_of_it(bench: Bench) -> None:
    execution = await bench.running()
    ended = await bench.finished(execution.fence, Outcome.HANDOFF)
    assert await line(bench, ended.work) == "**work-issue**: There is nothing new to work on."
    reason = "It went on by itself 256 times, which is as often as it may."
    await bench.do(lambda tx, now: tx.works.save(replace(ended.work, reason=reason), now))
    assert await line(bench, ended.work) == f"**work-issue**: There is nothing new to work on. {reason}"


async def test_a_moment_alone_is_named(bench: Bench) -> None:
    work = await parked(bench, await bench.running(), Awaited(until=Millis(bench.clock.now() + 30 * MINUTE)))
    assert (await view(bench, work)).state is ThreadState.WAITING
    assert await line(bench, work) == "**work-issue**: Waiting until 22:43 UTC."


async def test_it_is_told_when_the_other_will_not_get_there_by_itself_and_the_thread_is_shown_anew(
    bench: Bench,
) -> None:
    """Whatever becomes of the other Work changes what stands in the thread of the one that waits for it."""
    other = await bench.ready(2)
    work = await parked(bench, await bench.running(1), on(KEY, "done"))
    assert not (await view(bench, work)).blockers[0].needs_person
    before = await thread(bench, work)

    failed = await bench.fail((await bench.run((await bench.claim(other)).execution.fence)).fence, permanent=True)
    assert (await view(bench, work)).blockers[0].needs_person
    assert await thread(bench, work) > before
    before = await thread(bench, work)
    await bench.do(lambda tx, now: cancel(tx, failed.id, by="ada", reason="no", now=now))
    assert await thread(bench, work) > before
    assert (await view(bench, work)).blockers[0].needs_person, "nothing says a word there any more"

    before = await thread(bench, work)
    successor = await bench.ready(2, id="wrk-next")
    assert await thread(bench, work) > before
    assert not (await view(bench, work)).blockers[0].needs_person
    execution = await bench.run((await bench.claim(successor)).execution.fence)
    await bench.result(execution.fence, Result(ok=True, turn=Turn(status="done")))
    await bench.finished(execution.fence, Outcome.COMPLETED)
    assert (await view(bench, work)).state is ThreadState.QUEUED
    # Nobody waits for it any more: the thread is left alone.
    before = await thread(bench, work)
    await bench.ready(2, id="wrk-after")
    assert await thread(bench, work) == before
