"""Deferred attempts, and the accounts of providers that they pause."""

from __future__ import annotations

from typing import Any

import pytest

from bot.clock import HOUR, MINUTE, Millis
from bot.domain.account import STAGGER, Account, Pause
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.execution import Execution
from bot.domain.hold import DEFERRAL
from bot.domain.result import LONGEST_DEFERRAL, SHORTEST_DEFERRAL, Deferral, Outcome, Result
from bot.domain.timer import TimerKind
from bot.domain.work import Work, WorkState
from bot.scheduler.accounts import release_accounts
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed
from tests.factories import UNLIMITED, make_binding
from tests.scheduler.bench import Bench

BINDING = make_binding(account="provider", credentials="old")
TERMS = Terms(pool="agents", limits=UNLIMITED, account="provider")
OTHER = {"binding": make_binding(account="other", credentials="x"), "terms": Terms(pool="agents", account="other")}
USES: dict[str, Any] = {"binding": BINDING, "terms": TERMS}


async def running(bench: Bench, number: int) -> Execution:
    return await bench.run((await bench.claim(await bench.ready(number), **USES)).execution.fence)


async def deferred(bench: Bench, execution: Execution, **deferral: Any) -> Work:
    """End an attempt because the limit of its account is reached, in an hour unless another time is given."""
    usual = {"reason": "usage limit", "account": "provider", "until": Millis(bench.clock.now() + HOUR)}
    told = Deferral(**{**usual, **deferral})
    await bench.result(execution.fence, Result(ok=False, deferral=told, units={"usd": 1.5}))
    return (await bench.finished(execution.fence, Outcome.DEFERRED, deferral=told)).work


async def paused(bench: Bench) -> Millis:
    """Let an attempt meet the limit, and return when the pause is over."""
    await deferred(bench, await running(bench, 1))
    pause = await pause_of(bench)
    assert pause is not None
    assert pause.until is not None
    return pause.until


async def pause_of(bench: Bench) -> Pause | None:
    return await bench.see(lambda tx: tx.accounts.get("provider"))


async def released(bench: Bench, credentials: str = "old") -> tuple[str, ...]:
    return await bench.do(lambda tx, now: release_accounts(tx, {"provider": credentials}, now))


async def wanted(bench: Bench, work: Work) -> int:
    thread = await bench.see(lambda tx: tx.threads.get(work.item))
    assert thread is not None
    return thread.wanted


# ag-H09
async def test_a_limit_pauses_its_account_for_every_work_that_uses_it(bench: Bench) -> None:
    waiting = await bench.ready(2)
    until = await paused(bench)
    refused = await bench.try_claim(waiting, **USES)
    assert refused == Refused(reason=Reason.PAUSED_ACCOUNT, detail="usage limit", until=until)


# ag-H09
async def test_work_on_another_account_or_none_still_starts(bench: Bench) -> None:
    await paused(bench)
    assert isinstance(await bench.try_claim(await bench.ready(2), **OTHER), Claimed)
    assert isinstance(await bench.try_claim(await bench.ready(3)), Claimed)


# ag-H09
async def test_live_attempts_on_a_paused_account_go_on(bench: Bench) -> None:
    live = await running(bench, 2)
    await paused(bench)
    assert (await bench.finished(live.fence, Outcome.COMPLETED)).work.state is WorkState.COMPLETED


# ag-H09
async def test_a_deferred_attempt_is_kept_and_counts_neither_failure_nor_start(bench: Bench) -> None:
    execution = await running(bench, 1)
    assert len((await bench.work(execution.work)).marks.starts) == 1
    work = await deferred(bench, execution)
    assert (work.state, work.status, work.failures, work.marks.starts) == (WorkState.READY, None, 0, ())
    assert work.usage == {"usd": 1.5}
    assert await bench.see(lambda tx: tx.starts.on_day_of(work.scope, bench.clock.now())) == 0
    (kept,) = await bench.see(lambda tx: tx.executions.of_work(work.id))
    assert kept.outcome is Outcome.DEFERRED
    assert await bench.kinds(work.id) == ["label"], "its input is there for the next attempt"


async def test_a_failed_attempt_counts_both(bench: Bench) -> None:
    """The negative control of the test above."""
    execution = await running(bench, 1)
    work = await bench.fail(execution.fence)
    assert (work.failures, len(work.marks.starts)) == (1, 1)
    assert await bench.see(lambda tx: tx.starts.on_day_of(work.scope, bench.clock.now())) == 1
    assert await pause_of(bench) is None


# ag-H14
async def test_what_was_deferred_is_not_tried_again_before_its_account_is_released(bench: Bench) -> None:
    until = await paused(bench)
    work = (await bench.see(lambda tx: tx.works.all_live()))[0]
    bench.clock.advance(until - bench.clock.now() - 1)
    assert await released(bench) == ()
    assert await bench.refusal(work, **USES) is Reason.PAUSED_ACCOUNT
    bench.clock.advance(1)
    assert await bench.refusal(work, **USES) is Reason.PAUSED_ACCOUNT, "the clock alone releases nothing"
    assert await released(bench) == ("provider",)
    assert isinstance(await bench.try_claim(work, **USES), Claimed)


async def test_an_earlier_end_never_shortens_a_pause_and_a_later_one_extends_it(bench: Bench) -> None:
    live = [await running(bench, number) for number in (1, 2, 3)]
    now = bench.clock.now()
    ends = []
    for execution, hours in zip(live, (2, 1, 3), strict=True):
        await deferred(bench, execution, until=Millis(now + hours * HOUR))
        pause = await pause_of(bench)
        assert pause is not None
        assert pause.until is not None
        ends.append((pause.until - now) // HOUR)
    assert ends == [2, 2, 3]


# ag-H14, ag-I02
async def test_without_a_time_the_account_is_paused_until_its_credentials_change(bench: Bench) -> None:
    work = await deferred(bench, await running(bench, 1), until=None, reason="the token has expired")
    bench.clock.advance(1_000 * HOUR)
    assert await released(bench) == ()
    refused = await bench.try_claim(work, **USES)
    assert refused == Refused(reason=Reason.PAUSED_ACCOUNT, detail="the token has expired")
    assert await released(bench, credentials="new") == ("provider",)
    assert isinstance(await bench.try_claim(work, **USES), Claimed)


async def test_a_pause_by_time_does_not_end_when_credentials_change(bench: Bench) -> None:
    await paused(bench)
    assert await released(bench, credentials="new") == ()


async def test_a_pause_without_end_is_not_shortened_by_one_with_an_end(bench: Bench) -> None:
    first, second = await running(bench, 1), await running(bench, 2)
    await deferred(bench, first, until=None)
    await deferred(bench, second)
    pause = await pause_of(bench)
    assert pause is not None
    assert pause.until is None


# ag-H09, gh-R-08
async def test_after_the_pause_one_work_tries_the_account_and_others_follow_one_by_one(bench: Bench) -> None:
    works = [await bench.ready(number) for number in (2, 3, 4)]
    until = await paused(bench)
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    await bench.claim(works[0], **USES)
    assert await bench.refusal(works[1], **USES) is Reason.PROBING
    bench.clock.advance(STAGGER - 1)
    assert await bench.refusal(works[1], **USES) is Reason.PROBING
    bench.clock.advance(1)
    await bench.claim(works[1], **USES)
    assert await bench.refusal(works[2], **USES) is Reason.PROBING


async def test_an_attempt_that_ends_without_meeting_the_limit_frees_the_account(bench: Bench) -> None:
    works = [await bench.ready(number) for number in (2, 3, 4)]
    until = await paused(bench)
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    probe = await bench.run((await bench.claim(works[0], **USES)).execution.fence)
    await bench.result(probe.fence, Result(ok=True))
    await bench.finished(probe.fence, Outcome.COMPLETED)
    assert await pause_of(bench) is None
    for work in works[1:]:
        assert isinstance(await bench.try_claim(work, **USES), Claimed)


async def test_the_limit_met_again_pauses_anew(bench: Bench) -> None:
    other = await bench.ready(2)
    until = await paused(bench)
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    probe = await bench.run((await bench.claim(other, **USES)).execution.fence)
    await deferred(bench, probe)
    pause = await pause_of(bench)
    assert pause is not None
    assert (pause.released_at, pause.probed_at, pause.until) == (None, None, until + HOUR)


async def test_an_attempt_from_before_the_release_proves_nothing(bench: Bench) -> None:
    old = await running(bench, 2)
    until = await paused(bench)
    await bench.do(lambda tx, now: tx.executions.renew(old.fence, now=now, lease=2 * HOUR))
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    await bench.result(old.fence, Result(ok=True))
    await bench.finished(old.fence, Outcome.COMPLETED)
    assert await pause_of(bench) is not None


async def test_an_attempt_whose_run_was_never_seen_to_end_proves_nothing(bench: Bench) -> None:
    works = [await bench.ready(number) for number in (2, 3)]
    until = await paused(bench)
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    failed, cancelled = (await bench.claim(works[0], **USES)).execution, works[1]
    await bench.fail(failed.fence, stopped=False)
    bench.clock.advance(STAGGER)
    await bench.claim(cancelled, **USES)
    await bench.do(lambda tx, now: cancel(tx, cancelled.id, by="ada", reason="no", now=now))
    assert await pause_of(bench) is not None


# ag-H09
async def test_waiting_threads_are_shown_anew_when_an_account_is_paused_released_and_free(bench: Bench) -> None:
    waiting = await bench.ready(9)
    seen = [await wanted(bench, waiting)]
    until = await paused(bench)
    seen.append(await wanted(bench, waiting))
    bench.clock.advance(until - bench.clock.now())
    await released(bench)
    seen.append(await wanted(bench, waiting))
    probe = await bench.run((await bench.claim(await bench.ready(10), **USES)).execution.fence)
    await bench.result(probe.fence, Result(ok=True))
    await bench.finished(probe.fence, Outcome.COMPLETED)
    seen.append(await wanted(bench, waiting))
    assert seen == sorted(set(seen)), "each made it due once more"


async def test_the_same_limit_met_by_more_attempts_shows_no_thread_anew(bench: Bench) -> None:
    first, second, waiting = await running(bench, 1), await running(bench, 2), await bench.ready(9)
    until = Millis(bench.clock.now() + HOUR)
    await deferred(bench, first, until=until)
    before = await wanted(bench, waiting)
    await deferred(bench, second, until=until)
    assert await wanted(bench, waiting) == before


async def test_without_an_account_a_deferred_work_waits_for_its_own_time(bench: Bench) -> None:
    work = await deferred(bench, await running(bench, 1), account=None)
    timer = await bench.see(lambda tx: tx.timers.of_work(work.id, TimerKind.DEFERRED))
    assert timer is not None
    assert await bench.try_claim(work, **USES) == Refused(reason=Reason.DEFERRED, until=timer.due_at)
    assert await pause_of(bench) is None
    bench.clock.advance(HOUR)
    assert await bench.fire(timer)
    claimed = await bench.claim(work, **USES)
    assert claimed.execution.number == 2, "numbers of attempts go on"


async def test_a_deferral_of_another_account_pauses_that_one_and_puts_the_work_off(bench: Bench) -> None:
    """Else the Work would start again at once: its own account is not paused."""
    work = await deferred(bench, await running(bench, 1), account="other")
    assert await bench.refusal(work, **USES) is Reason.DEFERRED
    assert await bench.refusal(await bench.ready(2), **OTHER) is Reason.PAUSED_ACCOUNT
    assert isinstance(await bench.try_claim(await bench.ready(3), **USES), Claimed)


@pytest.mark.parametrize("account", [None, "other"])
async def test_a_deferral_that_nothing_would_end_waits_for_a_person(bench: Bench, account: str | None) -> None:
    work = await deferred(bench, await running(bench, 1), account=account, until=None)
    (hold,) = await bench.see(lambda tx: tx.holds.open(work.id))
    assert (hold.holder, hold.person, hold.reason) == (DEFERRAL, None, "usage limit")
    assert await bench.refusal(work, **USES) is Reason.HELD


@pytest.mark.parametrize("account", ["provider", None])
async def test_a_time_that_is_past_never_makes_a_loop_of_starts_that_nothing_counts(
    bench: Bench, account: str | None
) -> None:
    work = await deferred(bench, await running(bench, 1), account=account, until=Millis(bench.clock.now() - MINUTE))
    assert await released(bench) == ()
    refused = await bench.try_claim(work, **USES)
    assert isinstance(refused, Refused)
    assert refused.until == bench.clock.now() + SHORTEST_DEFERRAL


@pytest.mark.parametrize(("name", "credentials"), [("", "digest"), ("provider", "")])
def test_an_account_without_a_name_or_credentials_is_refused(name: str, credentials: str) -> None:
    with pytest.raises(ValueError, match="digest"):
        Account(name=name, credentials=credentials)


@pytest.mark.parametrize("asked_first", ["own", "other"])
async def test_a_run_of_another_account_never_shortens_the_pause_of_this_one(bench: Bench, asked_first: str) -> None:
    own = await running(bench, 1)
    other = (await bench.claim(await bench.ready(2), **OTHER)).execution
    await bench.run(other.fence)
    later, sooner = Millis(bench.clock.now() + 2 * HOUR), Millis(bench.clock.now() + HOUR)
    first, second = (own, other) if asked_first == "own" else (other, own)
    await deferred(bench, first, until=later)
    await deferred(bench, second, until=sooner)
    pause = await pause_of(bench)
    assert pause is not None
    assert pause.until == later


async def test_a_pause_without_end_that_follows_that_of_another_account_knows_its_credentials(bench: Bench) -> None:
    own = await running(bench, 1)
    other = (await bench.claim(await bench.ready(2), **OTHER)).execution
    await bench.run(other.fence)
    await deferred(bench, other)
    await deferred(bench, own, until=None)
    assert await released(bench) == ()
    assert await released(bench, "new") == ("provider",)


@pytest.mark.parametrize("account", ["provider", None])
async def test_a_time_that_is_too_far_away_is_a_year_from_now(bench: Bench, account: str | None) -> None:
    work = await deferred(bench, await running(bench, 1), account=account, until=Millis(2**63))
    refused = await bench.try_claim(work, **USES)
    assert isinstance(refused, Refused)
    assert refused.until == bench.clock.now() + LONGEST_DEFERRAL
