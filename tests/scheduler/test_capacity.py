"""How many attempts may hold a slot, by pool and by scope."""

from __future__ import annotations

import pytest

from bot.domain.admission import Admit, CapacityCode, Limits, Reason, Refused
from bot.domain.execution import Fence
from bot.domain.result import Outcome, Result
from bot.domain.scope import ROOT, owner_scope, repository_scope
from bot.domain.work import Work
from bot.ids import ScopeId, TimerId
from bot.scheduler.admission import capacity
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed
from bot.scheduler.recover import confirm_stopped
from bot.scheduler.timeout import time_out
from bot.storage.contract import Tx
from tests.factories import TIMEOUT, make_binding
from tests.scheduler.bench import Bench
from tests.storage.backend import Backend

HERE = repository_scope(1)
ONE = Limits(default=1, pools=())
JOB = make_binding(pool="jobs", executor="shell")


async def free(bench: Bench, limits: Limits = ONE, *, pool: str = "agents", scope: ScopeId = HERE) -> bool:
    answer = await bench.see(lambda tx: capacity(tx, scope, limits=limits, pool=pool))
    return answer == Admit()


async def confirmed(bench: Bench, fence: Fence) -> bool:
    return await bench.do(lambda tx, _: confirm_stopped(tx, fence))


# C-05, C-143, C-147, C-149
def test_by_default_four_jobs_and_four_of_every_other_pool_run_at_once() -> None:
    assert [Limits().pool(name) for name in ("agents", "jobs", "anything")] == [4, 4, 4]


# C-143, C-149
def test_a_pool_without_a_limit_of_its_own_has_the_common_one() -> None:
    limits = Limits(default=2, pools=(("jobs", 7),))
    assert [limits.pool(name) for name in ("agents", "jobs", "anything")] == [2, 7, 2]


# C-145
async def test_a_full_pool_is_named(bench: Bench) -> None:
    await bench.claimed(1)
    refused = await bench.try_claim(await bench.ready(2), limits=ONE)
    assert refused == Refused(reason=Reason.POOL_FULL, detail="1 of 1 agents busy", code=CapacityCode.CONCURRENCY)


# C-157
@pytest.mark.parametrize(
    ("pool", "code"),
    [("agents", "capacity_concurrency"), ("jobs", "capacity_job_concurrency"), ("x", "capacity_concurrency")],
)
async def test_a_refusal_names_the_setting_that_holds_the_work_back(bench: Bench, pool: str, code: str) -> None:
    limits = Limits(default=0, pools=(("jobs", 0),))
    refused = await bench.try_claim(await bench.ready(), binding=make_binding(pool=pool), limits=limits)
    assert isinstance(refused, Refused)
    assert refused.code is CapacityCode(code)


# C-157
async def test_what_is_no_limit_of_capacity_names_no_setting(bench: Bench) -> None:
    execution = await bench.running()
    refused = await bench.try_claim(await bench.work(execution.work))
    assert isinstance(refused, Refused)
    assert refused.code is None


# C-144, C-150
@pytest.mark.parametrize(("busy", "other"), [("agents", "jobs"), ("jobs", "agents")])
async def test_a_full_pool_leaves_the_other_one_alone(bench: Bench, busy: str, other: str) -> None:
    limits = Limits(default=2, pools=(("jobs", 2),))
    for number in (1, 2):
        await bench.claimed(number, binding=make_binding(pool=busy), limits=limits)
    more = await bench.ready(3)
    assert isinstance(await bench.try_claim(more, binding=make_binding(pool=busy), limits=limits), Refused)
    assert isinstance(await bench.try_claim(more, binding=make_binding(pool=other), limits=limits), Claimed)


# C-150
async def test_as_many_attempts_run_as_both_limits_allow_together(bench: Bench) -> None:
    limits = Limits(default=2, pools=(("jobs", 1),))
    works = [await bench.ready(number) for number in range(1, 7)]
    bindings = [make_binding(), JOB] * 3
    answers = [
        await bench.try_claim(work, binding=pin, limits=limits) for work, pin in zip(works, bindings, strict=True)
    ]
    assert sum(isinstance(answer, Claimed) for answer in answers) == 3


# C-145
async def test_a_full_scope_is_named(bench: Bench) -> None:
    limits = Limits(default=9, pools=(), scopes=((repository_scope(1), 1),))
    await bench.claimed(1)
    refused = await bench.try_claim(await bench.ready(2), limits=limits)
    expected = Refused(reason=Reason.SCOPE_FULL, detail="1 of 1 in owner-1/repo-1", code=CapacityCode.SCOPE)
    assert refused == expected
    assert isinstance(await bench.try_claim(await bench.ready(3, repository=2), limits=limits), Claimed)


# C-06
@pytest.mark.parametrize("bounded", [repository_scope(1), owner_scope(1), ROOT])
async def test_a_scope_limit_holds_for_the_scope_and_all_below_it(bench: Bench, bounded: ScopeId) -> None:
    limits = Limits(default=9, pools=(), scopes=((bounded, 2),))
    work: Work | None = None
    for number in (1, 2):
        await bench.claimed(number, limits=limits)
    work = await bench.ready(3)
    assert isinstance(await bench.try_claim(work, limits=limits), Refused)


# C-06
async def test_attempts_of_two_repositories_count_together_for_their_owner_only(bench: Bench) -> None:
    limits = Limits(default=9, pools=(), scopes=((owner_scope(1), 2),))
    for repository in (1, 2):
        await bench.claim(await bench.ready(1, repository=repository))
    assert not await free(bench, limits, scope=repository_scope(1))
    await bench.ready(1, repository=3, owner=2)
    assert await free(bench, limits, scope=repository_scope(3))


# C-146
async def test_a_scope_limit_counts_every_pool(bench: Bench) -> None:
    limits = Limits(default=9, pools=(("jobs", 9),), scopes=((repository_scope(1), 2),))
    await bench.claimed(1)
    await bench.claimed(2, binding=JOB)
    assert not await free(bench, limits, pool="agents")
    assert not await free(bench, limits, pool="jobs")


# C-154
async def test_a_slot_is_held_until_the_end_of_the_run_is_known(bench: Bench) -> None:
    execution = await bench.running()
    assert not await free(bench)
    await bench.finished(execution.fence, Outcome.COMPLETED, stopped=False)
    assert not await free(bench), "ended, but something of it may be running"
    await bench.do(lambda tx, _: confirm_stopped(tx, execution.fence))
    assert await free(bench)


# C-78
async def test_a_run_that_was_seen_to_end_gives_its_slot_back_at_once(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True))
    assert not await free(bench), "it is being published still"
    await bench.finished(execution.fence, Outcome.COMPLETED)
    assert await free(bench)
    assert await bench.see(lambda tx: tx.executions.unconfirmed()) == []


# C-75
async def test_no_end_but_an_observed_one_gives_a_slot_back(bench: Bench) -> None:
    failed = await bench.running(1)
    cancelled = await bench.running(2)
    late = await bench.running(3)
    await bench.fail(failed.fence, stopped=False)
    await bench.do(lambda tx, now: cancel(tx, cancelled.work, by="ada", reason="no", now=now))
    await bench.do(lambda tx, now: tx.executions.renew(late.fence, now=now, lease=2 * TIMEOUT))
    bench.clock.advance(TIMEOUT)
    assert await bench.do(lambda tx, now: time_out(tx, late.fence, timer=TimerId("t"), now=now))
    assert await bench.see(lambda tx: tx.executions.slots_of_pool("agents")) == 3
    for execution in (failed, cancelled, late):
        assert await confirmed(bench, execution.fence)
    assert await bench.see(lambda tx: tx.executions.slots_of_pool("agents")) == 0


# C-75
async def test_a_slot_whose_run_is_uncertain_survives_a_restart(bench: Bench, backend: Backend, place: str) -> None:
    execution = await bench.running()
    await bench.do(lambda tx, now: cancel(tx, execution.work, by="ada", reason="no", now=now))
    await bench.store.close()
    reopened = await backend.open(place, bind=Tx)
    assert [each.id for each in await reopened.read(lambda tx: tx.executions.unconfirmed())] == [execution.id]
    assert await reopened.read(lambda tx: tx.executions.slots_of_pool("agents")) == 1
    await reopened.close()
