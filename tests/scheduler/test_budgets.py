"""Budgets at the start: what is used up holds, what is reserved refuses, and every admitted start is charged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import DAY
from bot.domain.admission import Admit, Limits, Reason, Refused, Terms
from bot.domain.budget import Per, Period, whole
from bot.domain.hold import HoldKind, HoldState
from bot.domain.result import Outcome, Result
from bot.domain.scope import owner_scope, repository_scope
from bot.domain.wait import Awaited, Suspension
from bot.domain.work import WorkState
from bot.ids import EventId, TimerId
from bot.scheduler.admission import admission
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed, GateHeld
from bot.scheduler.gates import Held, Settlement, StartHold, admit_gate_hold
from bot.scheduler.holds import Released
from bot.scheduler.park import park
from tests.factories import REVISION, UNLIMITED
from tests.scheduler.bench import Bench
from tests.scheduler.purse import DAILY, FOR_ALL, Purse, budget

GATE = Held(holder="approvals", hold=StartHold(reason="somebody must approve", revision=REVISION))


# C-163, C-172, ag-H03
async def test_a_budget_that_is_used_up_holds_the_next_start_in_its_claim(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    hold = await purse.held(work)
    assert (hold.kind, hold.holder, hold.state) == (HoldKind.BUDGET, "usd/work/life", HoldState.OPEN)
    assert hold.reason == "5.00 of 5.00 usd used by this issue"
    assert hold.details == {"unit": "usd", "used": 5.0, "max": 5.0, "per": "work", "period": "life"}
    (event,) = [e for e in await bench.see(lambda tx: tx.events.with_key(f"work:{work.id}")) if "budget" in e.type]
    assert (event.type, event.data["reason"]) == ("core.budget.held", hold.reason)
    assert len(await bench.see(lambda tx: tx.executions.of_work(work.id))) == 1


# C-172, C-179, C-196
async def test_a_budget_with_room_left_holds_nothing(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=4.999999)
    assert isinstance(await purse.try_start(work), Claimed)


# C-179, C-196
async def test_without_budgets_nothing_is_held_and_nothing_is_counted(bench: Bench) -> None:
    purse = Purse(bench)
    work = await purse.spent(await bench.ready(), usd=1_000_000)
    assert await purse.settle()
    assert isinstance(await purse.try_start(work), Claimed)
    counting = Purse(bench, budget(5))
    assert await counting.used(work) == 0


# C-163
async def test_a_start_for_which_no_slot_is_free_is_not_held_by_its_budget(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await bench.claimed(2)
    purse.terms = replace(purse.terms, limits=Limits(default=1, pools=()))
    assert await purse.refused(work) is Reason.POOL_FULL
    assert await bench.see(lambda tx: tx.holds.of_work(work.id)) == []


# C-173
async def test_a_work_that_a_budget_holds_takes_input_and_is_not_tried_again(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.held(work)
    await bench.comment(work.id, "more")
    assert await bench.kinds(work.id) == ["comment", "comment"]
    assert await purse.refused(work) is Reason.HELD
    assert await bench.see(lambda tx: tx.works.ready()) == []


# C-174
async def test_the_release_of_a_budget_hold_lets_one_start_over_budget_and_the_next_is_checked_again(
    bench: Bench,
) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    assert await purse.release((await purse.held(work)).id) is Released.DONE
    assert (await bench.work(work.id)).budget_pass
    work = await purse.spent(work, usd=3)
    assert not (await bench.work(work.id)).budget_pass
    hold = await purse.held(work)
    assert hold.reason == "8.00 of 5.00 usd used by this issue", "what was used stays used"


# C-174
async def test_a_pass_covers_the_first_start_after_it_over_budget_or_not(bench: Bench) -> None:
    """Else it would be left over for a later limit."""
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.release((await purse.held(work)).id)
    wide = Purse(bench, budget(50))
    work = await wide.spent(work, usd=0)
    assert not (await bench.work(work.id)).budget_pass
    await purse.held(work)


# C-174
async def test_a_start_that_is_refused_keeps_the_pass(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=5)
    await purse.release((await purse.held(work)).id)
    await bench.claimed(2)
    purse.terms = replace(purse.terms, limits=Limits(default=1, pools=()))
    assert await purse.refused(work) is Reason.POOL_FULL
    assert (await bench.work(work.id)).budget_pass


# C-184, C-189
async def test_a_gate_holds_before_a_budget_does_and_its_pass_outlives_the_budgets_hold(bench: Bench) -> None:
    purse = Purse(bench, budget(5, **FOR_ALL))
    await purse.spent(await bench.ready(1), usd=5)
    work = await bench.ready(2)
    answer = await purse.try_start(work, held=GATE)
    assert isinstance(answer, GateHeld)
    (gate,) = await bench.see(lambda tx: tx.holds.open(work.id))
    assert gate.kind is HoldKind.GATE
    settlement = Settlement(hold=gate.id, holder="approvals", by="grace", reason="", event=EventId("evt-settled"))
    await bench.do(lambda tx, now: admit_gate_hold(tx, settlement, now))
    assert (await bench.work(work.id)).gate_pass == REVISION

    hold = await purse.held(work, asked=False, hold=gate.id + "-b", event=EventId("evt-budget"))
    assert (await bench.work(work.id)).gate_pass == REVISION, "the pass is spent by an admitted start only"
    await purse.release(hold.id)
    assert isinstance(await purse.try_start(work, asked=False), Claimed), "and lets that start skip the gate"
    assert (await bench.work(work.id)).gate_pass is None


# C-184, C-196
async def test_a_gate_that_allows_leaves_the_budget_to_hold(bench: Bench) -> None:
    purse = Purse(bench, budget(5, **FOR_ALL))
    await purse.spent(await bench.ready(1), usd=5)
    assert (await purse.held(await bench.ready(2))).kind is HoldKind.BUDGET


# C-165, C-175
async def test_a_start_is_charged_a_turn_and_an_attempt_and_a_resume_only_a_turn(bench: Bench) -> None:
    purse = Purse(bench, budget(9, "turns"), budget(9, "attempts"))
    work = await bench.ready()
    execution = await purse.start(work)
    assert (await purse.used(work, 0), await purse.used(work, 1)) == (1, 1)
    await parked(bench, execution)
    await bench.comment(work.id)
    resumed = await purse.start(work)
    assert resumed.id == execution.id
    assert (await purse.used(work, 0), await purse.used(work, 1)) == (2, 1)
    work = await purse.use(resumed)
    await purse.start(work)
    assert (await purse.used(work, 0), await purse.used(work, 1)) == (3, 2)


# C-165, C-172
@pytest.mark.parametrize("unit", ["turns", "attempts"])
async def test_turns_and_attempts_can_be_used_up(bench: Bench, unit: str) -> None:
    purse = Purse(bench, budget(2, unit))
    work = await purse.spent(await purse.spent(await bench.ready()))
    assert (await purse.held(work)).reason == f"2 of 2 {unit} used by this issue"


async def test_an_attempt_that_is_parked_goes_on_when_there_may_be_no_more_attempts(bench: Bench) -> None:
    purse = Purse(bench, budget(1, "attempts"))
    work = await bench.ready()
    execution = await purse.start(work)
    await parked(bench, execution)
    await bench.comment(work.id)
    assert (await purse.start(work)).id == execution.id


# ag-H01
async def test_of_five_starts_of_four_under_a_budget_of_ten_two_start_and_the_others_wait(bench: Bench) -> None:
    purse = Purse(bench, budget(10, **FOR_ALL), usd=4)
    works = [await bench.ready(number) for number in range(1, 6)]
    answers = [await purse.try_start(work) for work in works]
    assert [type(answer) for answer in answers] == [Claimed, Claimed, Refused, Refused, Refused]
    assert answers[2] == Refused(
        reason=Reason.RESERVED, detail="8.00 usd of all repositories are reserved by runs under way"
    )
    assert await bench.see(lambda tx: tx.holds.of_work(works[2].id)) == [], "it clears itself"
    first = answers[0]
    assert isinstance(first, Claimed)
    await purse.use(first.execution, usd=1)
    assert isinstance(await purse.try_start(works[2]), Claimed)
    assert await purse.used(works[2]) == 1
    assert await purse.reserved(works[2]) == 8


# ag-H01, C-196
async def test_without_an_estimate_nothing_is_reserved(bench: Bench) -> None:
    purse = Purse(bench, budget(10, **FOR_ALL))
    for number in range(1, 6):
        await purse.start(await bench.ready(number))
    assert await purse.reserved(await bench.ready(6)) == 0


async def test_what_is_left_and_is_less_than_a_start_takes_holds(bench: Bench) -> None:
    purse = Purse(bench, budget(5), usd=4)
    work = await purse.spent(await bench.ready(), usd=2)
    assert (await purse.held(work)).reason == "2.00 of 5.00 usd used by this issue, and a start takes 4.00"


async def test_what_is_used_up_is_told_before_what_is_only_reserved(bench: Bench) -> None:
    purse = Purse(bench, budget(8, **FOR_ALL), budget(1, "turns"), usd=4)
    work = await purse.spent(await bench.ready(1), usd=0)
    await purse.start(await bench.ready(2))
    await purse.start(await bench.ready(3))
    assert (await purse.held(work)).details["unit"] == "turns"


# C-164
@pytest.mark.parametrize(
    ("per", "other_repository", "other_issue"),
    [(Per.WORK, 0, 0), (Per.SCOPE, 0, 5), (Per.ALL, 5, 5)],
)
async def test_a_budget_counts_together_what_it_says(
    bench: Bench, per: Per, other_repository: float, other_issue: float
) -> None:
    purse = Purse(bench, budget(9, per=per))
    work = await purse.spent(await bench.ready(1), usd=5)
    await purse.settle()
    assert await purse.used(work) == 5
    assert await purse.used(await bench.ready(2)) == other_issue
    assert await purse.used(await bench.ready(3, scope=repository_scope(2), repository=2)) == other_repository


# C-164
@pytest.mark.parametrize("scope", [repository_scope(1), owner_scope(1)])
async def test_a_budget_of_one_scope_counts_the_work_in_it_and_below(bench: Bench, scope: object) -> None:
    purse = Purse(bench, budget(5, scope=scope))
    work = await purse.spent(await bench.ready(1), usd=5)
    await purse.held(work)
    there = await bench.ready(1, repository=2, scope=repository_scope(2), owner=2)
    there = await purse.spent(there, usd=5)
    assert isinstance(await purse.try_start(there), Claimed)


# C-164
async def test_a_budget_of_a_playbook_counts_the_work_of_that_playbook_alone(bench: Bench) -> None:
    purse = Purse(bench, budget(5, playbook="work-issue", **FOR_ALL), budget(50, **FOR_ALL))
    other = await purse.spent(await bench.ready(1, playbook="review-pr"), usd=5)
    work = await bench.ready(2)
    assert isinstance(await purse.try_start(other), Claimed)
    assert await purse.used(work, 0) == 0, "the ledger of the playbook is its own"
    assert await purse.used(work, 1) == 5, "that of everything counts both"


# C-164, gh-B-02
@pytest.mark.parametrize(
    ("period", "days", "words"),
    [
        (Period.DAY, 1, "today; it goes on by itself on the next day"),
        (Period.WEEK, 7, "this week; it goes on by itself"),
    ],
)
async def test_a_new_window_is_a_new_ledger_and_the_old_one_stays_as_it_was(
    bench: Bench, period: Period, days: int, words: str
) -> None:
    purse = Purse(bench, budget(5, per=Per.SCOPE, period=period))
    await purse.spent(await bench.ready(1), usd=5)
    work = await bench.ready(2)
    assert (await purse.held(work)).reason.startswith(f"5.00 of 5.00 usd used in this repository {words}")
    before = await purse.bar(work)
    bench.clock.advance(days * DAY)
    assert isinstance(await purse.try_start(await bench.ready(3)), Claimed)
    assert (await purse.bar(work)).ledger != before.ledger
    assert await bench.see(lambda tx: tx.ledgers.used(before.ledger)) == whole(5)


# C-164, C-196
async def test_a_budget_for_life_does_not_begin_anew(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(1), usd=5)
    bench.clock.advance(400 * DAY)
    await purse.held(work)


# ag-H04
async def test_a_later_run_on_the_item_goes_on_where_the_earlier_one_ended(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(1), usd=5)
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    successor = await bench.ready(1, id=work.id + "-b", run=2)
    assert (await purse.held(successor)).details["used"] == 5.0


# ag-H05
async def test_a_run_that_goes_over_its_budget_ends_as_it_would_and_its_work_is_only_held(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await purse.spent(await bench.ready(), usd=50)
    assert work.state is WorkState.READY
    hold = await purse.held(work)
    (execution,) = await bench.see(lambda tx: tx.executions.of_work(work.id))
    assert execution.outcome is Outcome.HANDOFF, "nothing of it is thrown away"
    await purse.release(hold.id)
    assert isinstance(await purse.try_start(work), Claimed), "and it goes on"


async def test_every_view_hears_of_budgets_from_admission(bench: Bench) -> None:
    purse = Purse(bench, budget(5))
    work = await bench.ready()
    now = bench.clock.now()
    assert await bench.see(lambda tx: admission(tx, work, now, terms=purse.terms)) == Admit()
    work = await purse.spent(work, usd=5)
    await purse.settle()
    answer = await bench.see(lambda tx: admission(tx, work, now, terms=purse.terms))
    assert answer == Refused(reason=Reason.OVER_BUDGET, detail="5.00 of 5.00 usd used by this issue")
    plain = Terms(pool="agents", limits=UNLIMITED)
    assert await bench.see(lambda tx: admission(tx, work, now, terms=plain)) == Admit()


async def test_the_words_name_the_day(bench: Bench) -> None:
    purse = Purse(bench, budget(4, **DAILY), usd=4)
    await purse.start(await bench.ready(1))
    answer = await purse.try_start(await bench.ready(2))
    assert isinstance(answer, Refused)
    assert answer.detail == "4.00 usd of this repository today are reserved by runs under way"


async def parked(bench: Bench, execution: object, **units: float) -> None:
    """Suspend an attempt until somebody comments."""
    fence = execution.fence  # type: ignore[attr-defined] # any attempt
    await bench.run(fence)
    result = Result(ok=True, units=units, suspension=Suspension(awaited=Awaited(kinds=("comment",)), session={}))
    timer = TimerId(bench.ids.new("tmr"))
    await bench.do(lambda tx, now: park(tx, fence, result, status=None, timer=timer, now=now))
