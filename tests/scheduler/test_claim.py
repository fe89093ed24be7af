"""The claim: all or nothing, on what was read before, with everything pinned that the attempt will need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial

import pytest

from bot.clock import MINUTE, Millis
from bot.domain.admission import Limits, Refused
from bot.domain.execution import Phase
from bot.domain.kind import Capability, Fallback, Lifecycle
from bot.domain.result import Outcome
from bot.domain.retry import RetryPolicy
from bot.domain.scope import owner_scope
from bot.domain.segment import Invoke, Segment
from bot.domain.work import WorkState
from bot.ids import ExecutionId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed, ClaimRequest, Moved, candidate, claim
from bot.scheduler.gates import Allow, Ask, ask_gates
from bot.storage.contract import Tx
from tests.factories import LEASE, TERMS, TIMEOUT, make_binding, make_request, put_event, put_place
from tests.scheduler.bench import Bench

Change = Callable[[Tx, Millis], object]


def _claims(request: ClaimRequest, tx: Tx, now: Millis) -> object:
    return claim(tx, request, now)


async def request_for(bench: Bench, number: int = 1) -> ClaimRequest:
    work = await bench.ready(number)
    now = bench.clock.now()
    found = await bench.see(lambda tx: candidate(tx, work.id, now, terms=TERMS))
    assert not isinstance(found, Refused)
    return make_request(found)


# C-09, C-10
async def test_a_claim_numbers_the_attempt_leases_it_and_takes_all_pending_input(bench: Bench) -> None:
    work = await bench.ready()
    await bench.comment(work.id, "first")
    await bench.comment(work.id, "second")
    now = bench.clock.now()

    claimed = await bench.claim(work)

    execution = await bench.execution(claimed.execution.id)
    assert execution == claimed.execution
    assert (execution.number, execution.epoch, execution.owner) == (1, 1, "host-a")
    assert (execution.lease_until, execution.deadline) == (now + LEASE, now + TIMEOUT)
    assert execution.phase is Phase.LAUNCHING, "the intent to launch is there before anything is called"
    assert execution.slot
    assert [entry.event for entry in claimed.inputs] == ["evt-label/wrk-1-1", "evt-first", "evt-second"]
    assert execution.trigger == "evt-label/wrk-1-1"
    assert await bench.pending(work.id) == []
    assert await bench.see(lambda tx: tx.inputs.of_execution(work.id, execution.id)) == list(claimed.inputs)
    assert (claimed.work.state, claimed.work.status, claimed.work.attempts) == (WorkState.RUNNING, "building", 1)


# C-36, C-47
async def test_a_claim_begins_the_first_segment_with_nothing_called_yet(bench: Bench) -> None:
    claimed = await bench.claimed()
    assert claimed.execution.segments.kept == (Segment(started_at=bench.clock.now(), invoke=Invoke.PENDING),)


# C-20, C-23
async def test_a_claim_pins_the_binding_as_it_is_now(bench: Bench) -> None:
    old = make_binding(
        config={"model": "large", "nested": {"list": [1, None]}},
        timeout=5 * MINUTE,
        retry=RetryPolicy(delays=(1, 2, 3)),
        playbook={"name": "work-issue"},
        lifecycle=Lifecycle.STANDING,
        terminal=True,
        continues=True,
        capabilities=frozenset({Capability.INJECT, Capability.RESUME}),
        fallback=Fallback.DROP,
        account="provider",
        credentials="digest",
        estimate={"usd": 4_000_000},
        grants=("net",),
    )
    assert {each.name for each in fields(old) if getattr(old, each.name) == each.default} == set(), "all of it"
    claimed = await bench.claimed(binding=old)
    assert (await bench.execution(claimed.execution.id)).binding == old
    assert claimed.execution.deadline == bench.clock.now() + 5 * MINUTE

    await bench.finished(claimed.execution.fence, Outcome.HANDOFF)
    await bench.comment(claimed.work.id)
    new = make_binding(generation="generation-2")
    second = await bench.claim(claimed.work, binding=new)
    assert (await bench.execution(claimed.execution.id)).binding == old
    assert (await bench.execution(second.execution.id)).binding == new


# C-09
async def test_attempts_are_numbered_on_and_never_again(bench: Bench) -> None:
    execution = await bench.running()
    for number in (2, 3):
        await bench.fail(execution.fence)
        work = await bench.retry(execution.work)
        execution = (await bench.claim(work)).execution
        assert execution.number == number
    assert [each.number for each in await bench.see(lambda tx: tx.executions.of_work(execution.work))] == [1, 2, 3]


def _rename(tx: Tx, now: Millis) -> None:
    work = tx.works.get(tx.works.all_live()[0].id)
    tx.works.save(replace(work, branch="another"), now)


def _say(tx: Tx, now: Millis) -> None:
    event = put_event(tx, "meanwhile", now=now)
    tx.inputs.add(tx.works.all_live()[0].id, event, kind="comment")


def _cancel(tx: Tx, now: Millis) -> None:
    cancel(tx, tx.works.all_live()[0].id, by="ada", reason="no", now=now)


# C-08
@pytest.mark.parametrize("meanwhile", [_rename, _say, _cancel])
async def test_a_claim_on_what_has_changed_since_writes_nothing(bench: Bench, meanwhile: Change) -> None:
    request = await request_for(bench)
    await bench.do(meanwhile)
    before = await bench.work(request.candidate.work.id)

    assert await bench.do(lambda tx, now: claim(tx, request, now)) == Moved()

    assert await bench.work(before.id) == before
    assert await bench.see(lambda tx: tx.executions.of_work(before.id)) == []


# C-08 (negative control)
async def test_a_claim_on_what_is_as_it_was_succeeds(bench: Bench) -> None:
    request = await request_for(bench)
    assert isinstance(await bench.do(lambda tx, now: claim(tx, request, now)), Claimed)


# C-08
async def test_capacity_is_asked_again_inside_the_claim(bench: Bench) -> None:
    request = replace(await request_for(bench), terms=replace(TERMS, limits=Limits(default=1, pools=())))
    await bench.claimed(2)
    answer = await bench.do(lambda tx, now: claim(tx, request, now))
    assert isinstance(answer, Refused)
    assert (await bench.work(request.candidate.work.id)).state is WorkState.READY


# C-08
@pytest.mark.parametrize(("moves", "expected"), [(True, Refused), (False, Claimed)])
async def test_a_repository_that_changed_its_owner_since_is_counted_where_it_is_now(
    bench: Bench, *, moves: bool, expected: type
) -> None:
    other = owner_scope(2)
    await bench.claim(await bench.ready(1, repository=2, owner=2))
    limits = Limits(default=9, pools=(), scopes=((other, 1),))
    request = replace(await request_for(bench), terms=replace(TERMS, limits=limits))
    if moves:
        await bench.do(lambda tx, _: put_place(tx, 9, owner=2))
    answer = await bench.do(lambda tx, now: claim(tx, request, now))
    assert isinstance(answer, expected)


# C-09
async def test_a_claim_that_fails_in_the_middle_leaves_nothing_behind(bench: Bench) -> None:
    request = await request_for(bench)

    class FaultError(Exception):
        pass

    def fails(tx: Tx, now: Millis) -> None:
        claim(tx, request, now)
        raise FaultError

    with pytest.raises(FaultError):
        await bench.do(fails)
    work = await bench.work(request.candidate.work.id)
    assert work == request.candidate.work
    assert await bench.pending(work.id) == list(request.candidate.inputs)
    assert await bench.see(lambda tx: tx.executions.of_work(work.id)) == []


# C-10
async def test_a_host_that_dies_right_after_its_claim_leaves_the_intent(bench: Bench) -> None:
    claimed = await bench.claimed()
    bench.clock.advance(LEASE)
    lapsed = await bench.see(lambda tx: tx.executions.lapsed(bench.clock.now()))
    assert [each.id for each in lapsed] == [claimed.execution.id]
    assert lapsed[0].segments.open.invoke is Invoke.PENDING


# C-19
async def test_one_work_is_claimed_once(bench: Bench) -> None:
    request = await request_for(bench)
    again = replace(request, execution=ExecutionId("exe-other"), owner="host-b")
    answers = [await bench.do(partial(_claims, each)) for each in (request, again)]
    assert isinstance(answers[0], Claimed)
    assert answers[1] == Moved()


# C-17
async def test_a_gate_that_takes_its_time_does_not_keep_another_work_from_its_claim(bench: Bench) -> None:
    class SlowGate:
        name = "slow"

        def __init__(self) -> None:
            self.asked, self.answer = asyncio.Event(), asyncio.Event()

        async def ask(self, ask: Ask) -> Allow:
            del ask
            self.asked.set()
            await self.answer.wait()
            return Allow()

    gate = SlowGate()
    slow = await request_for(bench, 1)

    async def start() -> object:
        first = slow.candidate.inputs[0]
        work = slow.candidate.work
        ask = Ask(work=work, binding=slow.binding, first=first, current=work.instructions, now=bench.clock.now())
        held = await ask_gates([gate], ask)
        return await bench.do(lambda tx, now: claim(tx, replace(slow, held=held), now))

    task = asyncio.create_task(start())
    await gate.asked.wait()
    assert isinstance(await bench.try_claim(await bench.ready(2)), Claimed)
    assert not task.done()
    gate.answer.set()
    assert isinstance(await task, Claimed)


# C-17, C-197
async def test_an_executor_that_takes_its_time_does_not_keep_another_work_from_its_launch(bench: Bench) -> None:
    called, returns = asyncio.Event(), asyncio.Event()

    async def launch_slowly() -> None:
        claimed = await bench.claimed(1)
        await bench.begin(claimed.execution.fence)
        called.set()
        await returns.wait()
        await bench.persist(claimed.execution.fence)
        await bench.confirm(claimed.execution.fence)

    task = asyncio.create_task(launch_slowly())
    await called.wait()
    assert (await bench.running(2)).phase is Phase.RUNNING
    assert not task.done()
    returns.set()
    await task
    phases = [each.phase for each in await bench.see(lambda tx: tx.executions.live())]
    assert phases == [Phase.RUNNING, Phase.RUNNING]
