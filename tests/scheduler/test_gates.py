"""Start gates: asked before a Work's first attempt, able to hold it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from bot.clock import Millis
from bot.domain.admission import Limits, Reason
from bot.domain.hold import HoldKind, HoldState
from bot.domain.result import Outcome
from bot.domain.work import Instructions, Work, WorkState
from bot.errors import StartGateError
from bot.ids import EventId, HoldId
from bot.scheduler.cancel import cancel
from bot.scheduler.claim import Claimed, GateHeld, Moved, gates_due
from bot.scheduler.gates import (
    Allow,
    Ask,
    Held,
    Settled,
    Settlement,
    StartGate,
    StartHold,
    admit_gate_hold,
    ask_gates,
    refuse_gate_hold,
    replace_gate_hold,
)
from bot.scheduler.holds import Release, Released, release_hold
from bot.storage.contract import Tx
from bot.storage.works import Input
from tests.factories import REVISION, make_binding
from tests.scheduler.bench import Bench

Settle = Callable[[Tx, Settlement, Millis], Settled]

HOLD = StartHold(reason="two people must approve", revision=REVISION, details={"need": 2})
HELD = Held(holder="approvals", hold=HOLD)


@dataclass(kw_only=True)
class Gate:
    """Answers as it is told to, and keeps what it was asked."""

    name: str
    answer: Allow | StartHold | Exception = field(default_factory=Allow)
    asked: list[Ask] = field(default_factory=list)

    async def ask(self, ask: Ask) -> Allow | StartHold:
        self.asked.append(ask)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def asks(bench: Bench, work: Work, first: str = "evt-label/wrk-1-1") -> Ask:
    entry = Input(work=work.id, seq=1, event=EventId(first), kind="label")
    return Ask(work=work, binding=make_binding(), first=entry, current=work.instructions, now=bench.clock.now())


async def start(bench: Bench, work: Work, gates: Sequence[StartGate]) -> object:
    """Start a Work as a host does: ask the gates where they are due, then claim."""
    work = await bench.work(work.id)
    asked = gates_due(work, REVISION)
    held = await ask_gates(gates, asks(bench, work)) if asked else None
    return await bench.try_claim(work, asked=asked, held=held)


async def held_work(bench: Bench, number: int = 1) -> Work:
    answer = await bench.try_claim(await bench.ready(number), held=HELD)
    assert isinstance(answer, GateHeld)
    return answer.work


async def hold_of(bench: Bench, work: Work) -> HoldId:
    return (await bench.see(lambda tx: tx.holds.open(work.id)))[0].id


async def settlement(bench: Bench, work: Work, *, holder: str = "approvals") -> Settlement:
    hold = await hold_of(bench, work)
    return Settlement(hold=hold, holder=holder, by="grace", reason="looks right", event=EventId(bench.ids.new("evt")))


# C-180, C-181, C-183
async def test_gates_are_asked_in_the_order_of_their_names_until_one_holds(bench: Bench) -> None:
    work = await bench.ready()
    gates = [Gate(name="c"), Gate(name="a"), Gate(name="b", answer=HOLD)]
    held = await ask_gates(gates, asks(bench, work))
    assert held == Held(holder="b", hold=HOLD)
    assert [len(gate.asked) for gate in gates] == [0, 1, 1]
    assert gates[1].asked[0].first.event == "evt-label/wrk-1-1"


# C-183, C-196
async def test_a_start_that_every_gate_allows_goes_on(bench: Bench) -> None:
    gates = [Gate(name="a"), Gate(name="b")]
    assert isinstance(await start(bench, await bench.ready(), gates), Claimed)
    assert [len(gate.asked) for gate in gates] == [1, 1]


# C-183
async def test_a_start_that_every_gate_allows_still_needs_a_free_slot(bench: Bench) -> None:
    work = await bench.ready()
    await bench.claimed(2)
    assert await bench.refusal(work, limits=Limits(default=1, pools=()), asked=True) is Reason.POOL_FULL


# C-181
async def test_a_gate_that_holds_writes_nothing_while_the_pool_is_full(bench: Bench) -> None:
    work = await bench.ready()
    await bench.claimed(2)
    assert await bench.refusal(work, limits=Limits(default=1, pools=()), held=HELD) is Reason.POOL_FULL
    assert await bench.see(lambda tx: tx.holds.of_work(work.id)) == []


# C-182
async def test_a_claim_whose_gates_were_not_asked_does_not_start_a_first_attempt(bench: Bench) -> None:
    work = await bench.ready()
    assert await bench.try_claim(work, asked=False) == Moved()
    assert isinstance(await bench.try_claim(work, asked=True), Claimed)


# C-182
@pytest.mark.parametrize("outcome", [Outcome.HANDOFF, Outcome.FAILED])
async def test_later_attempts_are_not_asked_about(bench: Bench, outcome: Outcome) -> None:
    gate = Gate(name="approvals")
    work = await bench.ready()
    first = await start(bench, work, [gate])
    assert isinstance(first, Claimed)
    await bench.comment(work.id)
    await bench.finished(first.execution.fence, outcome)
    if outcome is Outcome.FAILED:
        await bench.retry(work.id)
    gate.answer = HOLD
    assert isinstance(await start(bench, work, [gate]), Claimed)
    assert len(gate.asked) == 1


# C-184, ag-L03
async def test_a_gate_that_holds_is_written_down_with_its_event_and_starts_nothing(bench: Bench) -> None:
    work = await bench.ready()
    answer = await start(bench, work, [Gate(name="approvals", answer=HOLD)])
    assert isinstance(answer, GateHeld)
    (hold,) = await bench.see(lambda tx: tx.holds.open(work.id))
    assert (hold.kind, hold.holder, hold.reason) == (HoldKind.GATE, "approvals", "two people must approve")
    assert (hold.revision, hold.details) == (REVISION, {"need": 2})
    (event,) = await bench.see(lambda tx: tx.events.with_key(f"work:{work.id}"))
    assert (event.type, event.data["reason"]) == ("core.gate.held", "two people must approve")
    assert await bench.see(lambda tx: tx.executions.of_work(work.id)) == []
    assert (await bench.work(work.id)).attempts == 0
    assert await bench.see(lambda tx: tx.executions.slots_of_pool("agents")) == 0, "what is held uses no slot"


async def test_a_gate_may_replace_the_text_that_it_asks_about(bench: Bench) -> None:
    text = Instructions(title="New", body="Changed.", author="eve", revision="revision-2")
    held = Held(holder="approvals", hold=replace(HOLD, instructions=text, revision=text.revision))
    answer = await bench.try_claim(await bench.ready(), held=held)
    assert isinstance(answer, GateHeld)
    assert (await bench.work(answer.work.id)).instructions == text


# C-185
async def test_a_held_work_takes_input_and_is_not_asked_about_again(bench: Bench) -> None:
    work = await held_work(bench)
    await bench.comment(work.id)
    assert await bench.kinds(work.id) == ["label", "comment"]
    assert await bench.refusal(work) is Reason.HELD
    assert await bench.see(lambda tx: tx.works.ready()) == []


# C-186
@pytest.mark.parametrize("error", [RuntimeError("no answer"), TimeoutError(), KeyError("x")])
async def test_a_gate_that_cannot_decide_holds_nothing_and_starts_nothing(bench: Bench, error: Exception) -> None:
    work = await bench.ready()
    gate = Gate(name="approvals", answer=error)
    later = Gate(name="z")
    with pytest.raises(StartGateError, match="approvals") as caught:
        await start(bench, work, [gate, later])
    assert caught.value.__cause__ is error
    assert later.asked == []
    assert await bench.work(work.id) == work
    assert await bench.see(lambda tx: tx.holds.of_work(work.id)) == []

    assert isinstance(await start(bench, await bench.ready(2), []), Claimed), "ungated Work still starts"
    gate.answer = Allow()
    assert isinstance(await start(bench, work, [gate, later]), Claimed), "the next pass asks again"


# C-187
@pytest.mark.parametrize("settle", [admit_gate_hold, refuse_gate_hold])
async def test_only_the_holder_settles_its_hold(bench: Bench, settle: Settle) -> None:
    work = await held_work(bench)
    foreign = await settlement(bench, work, holder="another")
    assert await bench.do(lambda tx, now: settle(tx, foreign, now)) is Settled.NOT_YOURS
    assert await bench.refusal(work) is Reason.HELD
    unknown = replace(foreign, hold=HoldId("hld-unknown"))
    assert await bench.do(lambda tx, now: settle(tx, unknown, now)) is Settled.NOT_YOURS
    own = await settlement(bench, work)
    assert await bench.do(lambda tx, now: settle(tx, own, now)) is Settled.DONE


# C-188
async def test_an_admitted_work_starts_once_without_asking(bench: Bench) -> None:
    work = await held_work(bench)
    admits = await settlement(bench, work)
    assert await bench.do(lambda tx, now: admit_gate_hold(tx, admits, now)) is Settled.DONE
    assert await bench.see(lambda tx: tx.holds.open(work.id)) == []
    admitted = await bench.work(work.id)
    assert admitted.gate_pass == REVISION
    gate = Gate(name="approvals", answer=HOLD)
    started = await start(bench, admitted, [gate])
    assert isinstance(started, Claimed)
    assert gate.asked == []
    assert (await bench.work(work.id)).gate_pass is None, "the pass is spent"


# C-188
async def test_a_pass_for_another_text_is_void(bench: Bench) -> None:
    work = await held_work(bench)
    admits = await settlement(bench, work)
    await bench.do(lambda tx, now: admit_gate_hold(tx, admits, now))
    admitted = await bench.work(work.id)
    assert gates_due(admitted, "revision-2")
    assert not gates_due(admitted, REVISION), "negative control"
    assert await bench.try_claim(admitted, revision="revision-2", asked=False) == Moved()


# C-189
async def test_a_pass_is_spent_only_by_a_start_that_is_admitted(bench: Bench) -> None:
    work = await held_work(bench)
    admits = await settlement(bench, work)
    await bench.do(lambda tx, now: admit_gate_hold(tx, admits, now))
    other = await bench.claimed(2)
    full = Limits(default=1, pools=())
    assert await bench.refusal(work, limits=full, asked=False) is Reason.POOL_FULL
    assert (await bench.work(work.id)).gate_pass == REVISION
    await bench.finished(other.execution.fence, Outcome.COMPLETED)
    assert isinstance(await bench.try_claim(work, limits=full, asked=False), Claimed)


# C-190
async def test_a_refused_start_cancels_the_work(bench: Bench) -> None:
    work = await held_work(bench)
    refuses = await settlement(bench, work)
    assert await bench.do(lambda tx, now: refuse_gate_hold(tx, refuses, now)) is Settled.DONE
    ended = await bench.work(work.id)
    assert (ended.state, ended.ended_by, ended.reason) == (WorkState.CANCELLED, "grace", "looks right")
    (hold,) = await bench.see(lambda tx: tx.holds.of_work(work.id))
    assert (hold.state, hold.settled_by) == (HoldState.REFUSED, "grace")


# C-191
@pytest.mark.parametrize(
    ("settle", "kind"), [(admit_gate_hold, "core.gate.released"), (refuse_gate_hold, "core.gate.refused")]
)
async def test_a_settlement_is_recorded_once_with_its_reason(bench: Bench, settle: Settle, kind: str) -> None:
    work = await held_work(bench)
    told, again = await settlement(bench, work), await settlement(bench, work)
    answers = [
        await bench.do(lambda tx, now: settle(tx, told, now)),
        await bench.do(lambda tx, now: settle(tx, again, now)),
    ]
    assert answers == [Settled.DONE, Settled.ALREADY]
    events = await bench.see(lambda tx: tx.events.with_key(f"work:{work.id}"))
    assert [event.type for event in events] == ["core.gate.held", kind]
    assert events[-1].data == {"work": work.id, "reason": "looks right", "by": "grace"}


# C-192
async def test_a_held_work_can_be_cancelled_by_anyone_who_may(bench: Bench) -> None:
    work = await held_work(bench)
    late = await settlement(bench, work)
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="never mind", now=now))
    assert await bench.see(lambda tx: tx.holds.open(work.id)) == []
    (hold,) = await bench.see(lambda tx: tx.holds.of_work(work.id))
    assert (hold.state, hold.settled_by) == (HoldState.ENDED, "ada")
    assert await bench.do(lambda tx, now: admit_gate_hold(tx, late, now)) is Settled.ALREADY
    assert (await bench.work(work.id)).state is WorkState.CANCELLED


# C-192
async def test_an_operator_does_not_lift_what_a_gate_holds(bench: Bench) -> None:
    work = await held_work(bench)
    release = Release(hold=await hold_of(bench, work), by="ada", reason="go on", event=EventId("evt-release"))
    assert await bench.do(lambda tx, now: release_hold(tx, release, now)) is Released.GATE
    assert await bench.refusal(work) is Reason.HELD
    events = await bench.see(lambda tx: tx.events.with_key(f"work:{work.id}"))
    assert [event.type for event in events] == ["core.gate.held"]


# C-193
async def test_the_core_keeps_what_a_gate_says_as_it_was_said(bench: Bench) -> None:
    details = {"anything": [1, {"nested": True}], "text": "§"}
    held = Held(holder="weather", hold=StartHold(reason="it rains", revision="", details=details))
    answer = await bench.try_claim(await bench.ready(), held=held)
    assert isinstance(answer, GateHeld)
    (hold,) = await bench.see(lambda tx: tx.holds.open(answer.work.id))
    assert (hold.holder, hold.reason, hold.details) == ("weather", "it rains", details)


async def test_a_hold_whose_text_has_changed_is_placed_anew(bench: Bench) -> None:
    work = await held_work(bench)
    old = await hold_of(bench, work)
    anew = replace(HELD, hold=replace(HOLD, revision="revision-2"))
    for _ in range(2):
        await bench.do(
            lambda tx, now: replace_gate_hold(tx, old, anew, new=HoldId("hld-new"), event=EventId("evt-new"), now=now)
        )
    holds = await bench.see(lambda tx: tx.holds.of_work(work.id))
    assert sorted((hold.id, hold.state, hold.revision) for hold in holds) == [
        ("hld-new", HoldState.OPEN, "revision-2"),
        (old, HoldState.STALE, REVISION),
    ]


async def test_another_holder_does_not_replace_a_hold(bench: Bench) -> None:
    work = await held_work(bench)
    old = await hold_of(bench, work)
    foreign = replace(HELD, holder="another")
    answer = await bench.do(
        lambda tx, now: replace_gate_hold(tx, old, foreign, new=HoldId("h"), event=EventId("e"), now=now)
    )
    assert answer is None
    assert await hold_of(bench, work) == old


# C-184
async def test_the_run_after_a_held_one_is_asked_about_again(bench: Bench) -> None:
    work = await held_work(bench)
    admits = await settlement(bench, work)
    await bench.do(lambda tx, now: admit_gate_hold(tx, admits, now))
    await bench.do(lambda tx, now: cancel(tx, work.id, by="ada", reason="no", now=now))
    successor = await bench.ready(id="wrk-next")
    assert (successor.run, successor.gate_pass) == (2, None)
    assert gates_due(successor, REVISION)
