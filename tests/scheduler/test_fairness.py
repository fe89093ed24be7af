"""Whose turn it is: priority, then the repositories in turn, then age; computed at each look, never stored."""

from __future__ import annotations

import pytest

from bot.clock import Millis
from bot.domain.admission import Limits
from bot.domain.result import Outcome
from bot.domain.work import Work
from bot.ids import ScopeId, WorkId
from bot.scheduler.claim import Claimed
from tests.scheduler.bench import Bench

BUSY, QUIET = ScopeId("repository:1"), ScopeId("repository:2")


async def backlog(bench: Bench, count: int) -> list[Work]:
    """Let so many Works wait in one repository, the oldest first, and then one in another."""
    works = [await bench.ready(number, created_at=bench.clock.advance(1)) for number in range(1, count + 1)]
    return [*works, await bench.ready(1, repository=2, created_at=bench.clock.advance(1))]


async def head(bench: Bench) -> WorkId:
    return (await bench.see(lambda tx: tx.works.ready(1)))[0].id


async def start_next(bench: Bench) -> ScopeId:
    """Give the one slot that is free to whose turn it is, and free it again. Returns the repository."""
    claimed = await bench.claim(await bench.work(await head(bench)))
    await bench.finished(claimed.execution.fence, Outcome.COMPLETED)
    return claimed.work.scope


# ag-L02, gh-I-05
async def test_one_of_another_repository_starts_within_two_slots_of_a_backlog_of_a_hundred(bench: Bench) -> None:
    await backlog(bench, 100)
    assert QUIET in [await start_next(bench), await start_next(bench)]


# ag-L02, gh-I-05
async def test_it_does_so_too_when_it_comes_while_the_backlog_is_worked_off(bench: Bench) -> None:
    for number in range(1, 101):
        await bench.ready(number, created_at=bench.clock.advance(1))
    for _ in range(10):
        await start_next(bench)
    await bench.ready(1, repository=2, created_at=bench.clock.advance(1))
    assert QUIET in [await start_next(bench), await start_next(bench)]


# gh-I-05
async def test_two_backlogs_get_every_other_slot(bench: Bench) -> None:
    for repository in (1, 2):
        for number in range(1, 6):
            await bench.ready(number, repository=repository, created_at=bench.clock.advance(1))
    served = [await start_next(bench) for _ in range(10)]
    assert served == [BUSY, QUIET] * 5


async def test_slots_that_are_free_together_are_shared_too(bench: Bench) -> None:
    await backlog(bench, 5)
    limits = Limits(default=2, pools=())
    started = []
    for each in await bench.see(lambda tx: tx.works.ready()):
        answer = await bench.try_claim(await bench.work(each.id), limits=limits)
        if isinstance(answer, Claimed):
            started.append(answer.work.scope)
    assert started == [BUSY, QUIET]


async def test_within_a_repository_the_oldest_goes_first(bench: Bench) -> None:
    works = await backlog(bench, 3)
    order = [each.id for each in await bench.see(lambda tx: tx.works.ready()) if each.scope == BUSY]
    assert order == [work.id for work in works[:3]]


async def test_priority_goes_before_turns(bench: Bench) -> None:
    await bench.ready(1, repository=2)
    for number in (1, 2):
        await bench.ready(number, priority=1, created_at=bench.clock.advance(1))
    assert [await start_next(bench) for _ in range(3)] == [BUSY, BUSY, QUIET]


# gh-I-03
async def test_a_head_of_the_queue_that_fails_lets_the_next_one_start(bench: Bench) -> None:
    works = await backlog(bench, 2)
    first = await head(bench)
    claimed = await bench.claim(await bench.work(first))
    await bench.fail(claimed.execution.fence)
    assert await head(bench) != first
    assert {await start_next(bench), await start_next(bench)} == {BUSY, QUIET}
    assert first == works[0].id


# gh-I-03
@pytest.mark.parametrize("count", [1, 3])
async def test_a_refused_claim_takes_no_turn(bench: Bench, count: int) -> None:
    """A repository whose Work cannot start does not lose its place in the queue by trying."""
    await backlog(bench, 2)
    first = await head(bench)
    for _ in range(count):
        await bench.try_claim(await bench.work(first), limits=Limits(default=0, pools=()))
    assert await head(bench) == first


# C-150
async def test_everything_that_waits_is_seen(bench: Bench) -> None:
    """No page hides the Work of another pool behind that of a busy one."""
    for number in range(1, 151):
        await bench.ready(number, created_at=Millis(number))
    assert len(await bench.see(lambda tx: tx.works.ready())) == 150
