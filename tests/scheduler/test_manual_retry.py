"""Retries that a person asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.clock import Millis
from bot.domain.admission import Reason
from bot.domain.event import Event
from bot.domain.execution import Execution
from bot.domain.hold import HoldKind
from bot.domain.kind import Lifecycle
from bot.domain.result import Deferral, Outcome
from bot.domain.retry import RetryPolicy
from bot.domain.work import BlockedReason, Work, WorkState
from bot.ids import EventId, HoldId
from bot.scheduler.cancel import cancel
from bot.scheduler.holds import place_operator_hold
from bot.scheduler.retry import NotRetried, Refusal, Retried, process_retry
from tests.factories import make_binding
from tests.scheduler.bench import Bench

ONE_TRY = make_binding(retry=RetryPolicy(delays=()))


async def asked(bench: Bench, kind: str = "core.manual.retry") -> Event:
    return await bench.event(bench.ids.new("evt"), type=kind)


async def retried(bench: Bench, work: Work, event: Event | None = None) -> Retried | NotRetried:
    told = event or await asked(bench)
    return await bench.do(lambda tx, now: process_retry(tx, work, told, now))


async def exhausted(bench: Bench, **ending: Any) -> Work:
    execution = await bench.running(binding=ONE_TRY)
    return await bench.fail(execution.fence, **ending)


async def attempts(bench: Bench, work: Work) -> list[Execution]:
    return list(await bench.see(lambda tx: tx.executions.of_work(work.id)))


# C-124
@pytest.mark.parametrize("kind", ["core.retry.requested", "core.manual.retry"])
async def test_both_names_of_the_event_start_a_fresh_round(bench: Bench, kind: str) -> None:
    work = await exhausted(bench)
    assert (work.state, work.blocked) == (WorkState.EXHAUSTED, BlockedReason.RETRIES_EXHAUSTED)
    answer = await retried(bench, work, await asked(bench, kind))
    assert isinstance(answer, Retried)
    assert (answer.work.state, answer.work.blocked, answer.work.failures) == (WorkState.READY, None, 0)
    claimed = await bench.claim(answer.work)
    assert [entry.kind for entry in claimed.inputs] == ["label", "retry"]


# C-124
async def test_an_event_of_another_type_asks_for_nothing(bench: Bench) -> None:
    work = await exhausted(bench)
    with pytest.raises(ValueError, match="does not ask"):
        await retried(bench, work, await asked(bench, "core.retry.due"))
    assert (await bench.work(work.id)).state is WorkState.EXHAUSTED


# C-126
async def test_it_resets_the_budget_of_failures_and_not_the_numbers_of_attempts(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.fail(execution.fence)
    second = (await bench.claim(await bench.retry(work.id))).execution
    work = await bench.fail(second.fence)
    assert (work.failures, work.attempts) == (2, 2)
    await retried(bench, work)
    third = (await bench.claim(await bench.work(work.id))).execution
    assert third.number == 3
    work = await bench.fail(third.fence)
    assert work.failures == 1
    assert await bench.timer(work.id) is not None, "the first delay again"


# C-126
async def test_it_ends_a_backoff_at_once(bench: Bench) -> None:
    work = await bench.fail((await bench.running()).fence)
    assert await bench.refusal(work) is Reason.RETRY_DUE
    timer = await bench.timer(work.id)
    assert isinstance(await retried(bench, work), Retried)
    assert await bench.timer(work.id) is None
    await bench.claim(await bench.work(work.id))
    assert timer is not None
    bench.clock.advance(timer.due_at)
    assert not await bench.fire(timer), "the old timer has no effect any more"


# C-115
async def test_it_clears_what_blocked_the_work(bench: Bench) -> None:
    work = await exhausted(bench, permanent=True)
    assert work.blocked is BlockedReason.PERMANENT_FAILURE
    answer = await retried(bench, work)
    assert isinstance(answer, Retried)
    assert answer.work.blocked is None
    execution = (await bench.claim(answer.work)).execution
    assert (await bench.finished(execution.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# C-125
async def test_an_event_from_before_the_failure_clears_nothing(bench: Bench) -> None:
    execution = await bench.running(binding=ONE_TRY)
    early = await asked(bench)
    work = await bench.fail(execution.fence)
    assert await retried(bench, work, early) == NotRetried(why=Refusal.OLDER)
    assert (await bench.work(work.id)).state is WorkState.EXHAUSTED
    assert isinstance(await retried(bench, work), Retried)


# C-125
async def test_an_event_that_was_processed_cannot_clear_a_later_failure(bench: Bench) -> None:
    work = await exhausted(bench)
    event = await asked(bench)
    await retried(bench, work, event)
    second = await bench.run((await bench.claim(await bench.work(work.id), binding=ONE_TRY)).execution.fence)
    work = await bench.fail(second.fence)
    assert await retried(bench, work, event) == NotRetried(why=Refusal.OLDER)
    assert (await bench.work(work.id)).state is WorkState.EXHAUSTED


# C-127
async def test_a_replay_before_the_next_start_changes_nothing(bench: Bench) -> None:
    work = await exhausted(bench)
    event = await asked(bench)
    await retried(bench, work, event)
    before = await bench.work(work.id)
    assert await retried(bench, work, event) == NotRetried(why=Refusal.NOT_FAILED)
    assert await bench.work(work.id) == before


# C-127
async def test_a_work_that_has_ended_is_not_retried(bench: Bench) -> None:
    work = await exhausted(bench)
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    assert await retried(bench, work) == NotRetried(why=Refusal.ENDED)
    assert (await bench.work(work.id)).state is WorkState.CANCELLED


# C-128
async def test_a_live_attempt_prevents_it(bench: Bench) -> None:
    work = await bench.fail((await bench.running()).fence)
    await bench.claim(await bench.retry(work.id))
    assert await retried(bench, work) == NotRetried(why=Refusal.LIVE)
    assert (await bench.work(work.id)).failures == 1


# C-128
async def test_a_wait_prevents_it(bench: Bench) -> None:
    execution = await bench.running()
    work = (await bench.finished(execution.fence, Outcome.WAITING)).work
    assert await retried(bench, work) == NotRetried(why=Refusal.WAITING)
    assert (await bench.work(work.id)).state is WorkState.WAITING


async def test_where_nothing_has_failed_there_is_nothing_to_retry(bench: Bench) -> None:
    work = await bench.ready()
    assert await retried(bench, work) == NotRetried(why=Refusal.NOT_FAILED)
    assert await bench.kinds(work.id) == ["label"]


async def test_it_starts_what_was_put_off_without_being_counted(bench: Bench) -> None:
    execution = await bench.running()
    deferral = Deferral(reason="hook", until=Millis(bench.clock.now() + 3_600_000))
    work = (await bench.finished(execution.fence, Outcome.DEFERRED, deferral=deferral)).work
    assert await bench.refusal(work) is Reason.DEFERRED
    assert isinstance(await retried(bench, work), Retried)
    await bench.claim(await bench.work(work.id))


async def test_it_lifts_no_hold(bench: Bench) -> None:
    work = await exhausted(bench)
    await bench.do(
        lambda tx, now: place_operator_hold(
            tx, tx.works.get(work.id), hold=HoldId("h"), holder="ada", reason="wait", event=EventId("e"), now=now
        )
    )
    assert isinstance(await retried(bench, work), Retried)
    assert await bench.refusal(work) is Reason.HELD
    assert [hold.kind for hold in await bench.see(lambda tx: tx.holds.open(work.id))] == [HoldKind.OPERATOR]


async def test_a_failed_attempt_of_standing_work_is_done_again_on_the_same_input(bench: Bench) -> None:
    execution = await bench.running(binding=make_binding(lifecycle=Lifecycle.STANDING))
    work = await bench.fail(execution.fence)
    assert await bench.kinds(work.id) == []
    assert isinstance(await retried(bench, work), Retried)
    assert await bench.kinds(work.id) == ["label", "retry"]


async def test_a_person_who_asks_begins_the_count_of_starts_without_progress_anew(bench: Bench) -> None:
    work = await exhausted(bench)
    assert len(work.marks.starts) == 1
    answer = await retried(bench, work)
    assert isinstance(answer, Retried)
    assert answer.work.marks == replace(work.marks, starts=())
