"""Each invariant finds what violates it, and nothing in what is as it should be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bot.clock import MINUTE, Millis
from bot.domain.admission import Limits
from bot.domain.segment import Segment, Segments
from bot.ids import ExecutionId, ScopeId, WorkId
from tests.simulation.audit import Check, Step
from tests.simulation.facts import Facts, Seen
from tests.simulation.invariants import (
    ALL,
    attempts,
    budgets,
    capacity,
    gates,
    inputs,
    leases,
    runs,
    segments,
    starts,
    works,
)
from tests.simulation.machine import Machine, Run
from tests.simulation.playbooks import GATED
from tests.simulation.snapshot import Snapshot
from tests.simulation.times import TrueTime

NOW = Millis(1_000_000)
MICRO = 1_000_000
DAY = "1970-01-01"
USD = f"usd/work/item:1/1/{GATED}/life"


ALL_LEDGERS = {f"turns/work/item:1/1/{GATED}/life": MICRO, f"usd/all/day/{DAY}": 0}


def work(**changes: Any) -> dict[str, Any]:
    usual = {
        "id": "w",
        "scope": "repository:1",
        "playbook": GATED,
        "item": "item:1/1",
        "state": "running",
        "starter": json.dumps({"id": 1, "login": "ada"}),
        "instructions": json.dumps({"revision": "text"}),
        "attempts": 1,
        "gate_pass": None,
        "budget_pass": 0,
        "brake": "{}",
        "failures": 0,
        "ended_by": None,
    }
    return {**usual, **changes}


def attempt(**changes: Any) -> dict[str, Any]:
    usual = {
        "id": "e",
        "work": "w",
        "scope": "repository:1",
        "number": 1,
        "epoch": 1,
        "owner": "a",
        "lease_until": NOW + MINUTE,
        "phase": "running",
        "slot": 1,
        "pool": "agents",
        "segments": stretches((0, None)),
        "started_at": 0,
        "recovery": None,
        "result": None,
        "outcome": None,
        "publish_tries": 0,
        "next_at": 0,
        "declared": None,
        "remaining": None,
        "suspended": None,
        "timeout": 10,
        "account": "provider",
        "estimate": json.dumps({"usd": 4 * MICRO}),
    }
    return {**usual, **changes}


def hold(**changes: Any) -> dict[str, Any]:
    usual = {"id": "h", "place": 1, "work": "w", "revision": "text", "state": "admitted", "placed_at": NOW}
    return {**usual, **changes}


def decision(**changes: Any) -> dict[str, Any]:
    usual = {"source": "c", "hold": "h", "person": 2, "login": "max", "verb": "approve", "revision": "text"}
    return {**usual, **changes}


def stretches(*times: tuple[int, int | None]) -> str:
    kept = [Segment(started_at=Millis(start), ended_at=None if end is None else Millis(end)) for start, end in times]
    return json.dumps(Segments(kept=tuple(kept)).to_document())


def entry(**changes: Any) -> dict[str, Any]:
    return {"work": "w", "seq": 1, "execution": "e", **changes}


def state(  # one argument for each kind of row
    *,
    works: tuple[dict[str, Any], ...] = (work(),),
    executions: tuple[dict[str, Any], ...] = (attempt(),),
    holds: tuple[dict[str, Any], ...] = (hold(),),
    decisions: tuple[dict[str, Any], ...] = (decision(),),
    inputs: tuple[dict[str, Any], ...] = (entry(),),
    consumed: tuple[dict[str, Any], ...] = (),
    retries: tuple[str, ...] = (),
    unrouted: frozenset[str] = frozenset(),
    ledgers: Mapping[str, int] | None = None,
    reserved: tuple[str, ...] = ("e",),
    staged: tuple[tuple[str, Mapping[str, float]], ...] = (),
    accounts: tuple[str, ...] = (),
) -> Snapshot:
    counted = {USD: 0} if ledgers is None else ledgers
    return Snapshot(
        works={row["id"]: row for row in works},
        executions={row["id"]: row for row in executions},
        holds={row["id"]: row for row in holds},
        decisions={row["source"]: row for row in decisions},
        inputs=inputs,
        consumed=consumed,
        retries={key: {"natural_key": key} for key in retries},
        ledgers={key: {"key": key, "used": used} for key, used in {**ALL_LEDGERS, **counted}.items()},
        reservations=[{"execution": each, "ledger": USD, "amount": 4 * MICRO} for each in reserved],
        staged=[{"execution": each, "units": json.dumps(units)} for each, units in staged],
        accounts={name: {"name": name, "released_at": None} for name in accounts},
        unrouted=unrouted,
        parents={"repository:1": "owner:1", "owner:1": None},
    )


def run(key: str = "e/1", execution: str = "e", **changes: Any) -> Run:
    usual = {"epoch": 1, "work": WorkId("w"), "pool": "agents", "home": "", "token": "", "timeout": 1, "session": {}}
    return Run(key=key, execution=ExecutionId(execution), started_at=NOW, **{**usual, **changes})


def machine(*going: Run) -> Machine:
    return Machine(time=TrueTime(), runs=list(going))


def step(before: Snapshot, after: Snapshot, *, writer: str = "a", on: Machine | None = None) -> Step:
    facts = Facts(
        limits=Limits(default=1, pools=(), scopes=((ScopeId("owner:1"), 2),)),
        together=20,
        machine=on or machine(run()),
        gated={GATED: True},
        may_decide=frozenset({"ada", "max"}),
        decided={"c": Seen(revision="text", at=NOW)},
    )
    return Step(before=before, after=after, writer=writer, now=NOW, facts=facts)


PASS = {"gate_pass": "text"}
READY = work(state="ready", attempts=0)
UNSTARTED: dict[str, Any] = {
    "works": (READY,),
    "executions": (),
    "inputs": (entry(execution=None),),
    "reserved": (),
    "ledgers": {},
}
SECOND = attempt(id="e2", work="w2", pool="jobs")
FINISHED = attempt(phase="finished", outcome="waiting", segments=stretches((0, 5)), slot=0)

DONE = {**FINISHED, "result": json.dumps({"units": {"usd": 2}})}
RECOVERED_LATE = json.dumps(
    Segments(
        kept=(
            Segment(started_at=Millis(0), ended_at=Millis(3)),
            Segment(started_at=Millis(4), recovered=True),
        )
    ).to_document()
)

CASES: tuple[tuple[Check, Step], ...] = (
    (works.one_live_work, step(state(), state(works=(work(), work(id="w2", state="ready", attempts=0))))),
    (works.the_end_is_final, step(state(works=(work(state="completed"),)), state())),
    (
        works.completion_overtakes_nothing,
        step(state(), state(works=(work(state="completed"),), unrouted=frozenset({"w"}))),
    ),
    (works.attempts_only_grow, step(state(), state(works=(work(attempts=0),)))),
    (works.only_attempts_of_now_are_retried, step(state(), state(retries=("retry/w/0",)))),
    (attempts.one_live_attempt, step(state(), state(executions=(attempt(), attempt(id="e2"))))),
    (attempts.running_means_live, step(state(), state(works=(work(state="ready"),)))),
    (attempts.epochs_only_grow, step(state(), state(executions=(attempt(epoch=3),)))),
    (attempts.no_stale_epoch_writes, step(state(), state(executions=(attempt(phase="publishing"),)), writer="b")),
    (
        attempts.the_finished_stays,
        step(state(executions=(FINISHED,)), state(executions=({**FINISHED, "outcome": "failed"},))),
    ),
    (attempts.unfinished_has_its_slot, step(state(), state(executions=(attempt(slot=0),)))),
    (leases.no_lease_is_shortened, step(state(), state(executions=(attempt(lease_until=NOW + 1),)))),
    (capacity.pools_are_not_exceeded, step(state(), state(executions=(attempt(), attempt(id="e2", work="w2"))))),
    (
        capacity.scopes_are_not_exceeded,
        step(state(), state(executions=(attempt(), SECOND, attempt(id="e3", work="w3", pool="more")))),
    ),
    (
        inputs.no_input_is_used_twice,
        step(
            state(),
            state(
                consumed=(
                    {"work": "w", "seq": 1, "execution": "e", "outcome": "waiting"},
                    {"work": "w", "seq": 1, "execution": "e2", "outcome": "completed"},
                )
            ),
        ),
    ),
    (inputs.no_input_is_lost, step(state(), state(inputs=()))),
    (inputs.no_input_is_lost, step(state(), state(executions=({**FINISHED, "outcome": "failed"},)))),
    (
        inputs.the_completed_has_none_left,
        step(state(), state(works=(work(state="completed"),), inputs=(entry(execution=None),))),
    ),
    (
        inputs.completion_drops_no_input,
        step(state(inputs=(entry(execution=None),)), state(works=(work(state="completed"),), inputs=())),
    ),
    (gates.no_first_start_without_approval, step(state(**UNSTARTED, holds=(), decisions=()), state(holds=()))),
    (gates.no_first_start_without_approval, step(state(**UNSTARTED, decisions=()), state(decisions=()))),
    (
        gates.no_first_start_without_approval,
        step(state(**UNSTARTED), state(works=(work(instructions=json.dumps({"revision": "another"})),))),
    ),
    (gates.nothing_starts_while_held, step(state(**UNSTARTED), state(holds=(hold(state="refused"),)))),
    (gates.a_pass_is_used_once, step(state(**UNSTARTED), state(works=(work(**PASS),)))),
    (gates.a_pass_has_its_approval, step(state(), state(works=(work(**{**PASS, "gate_pass": "another"}),)))),
    (gates.what_was_admitted_is_not_asked_again, step(state(), state(holds=(hold(), hold(id="h2", place=2))))),
    (gates.a_refusal_ends_the_work, step(state(), state(holds=(hold(state="refused"),)))),
    (gates.only_those_who_may_decide, step(state(decisions=()), state(decisions=(decision(login="rita"),)))),
    (gates.only_those_who_may_decide, step(state(decisions=()), state(decisions=(decision(person=1),)))),
    (
        gates.decisions_are_about_what_was_seen,
        step(
            state(decisions=()),
            state(
                holds=(hold(revision="another", placed_at=NOW + 3 * MINUTE),),
                decisions=(decision(revision="another"),),
            ),
        ),
    ),
    (
        gates.decisions_are_about_what_was_seen,
        step(state(decisions=()), state(decisions=(decision(source="elsewhere"),))),
    ),
    (
        budgets.ledgers_count_what_was_used,
        step(state(), state(executions=(DONE,), ledgers={USD: 3 * MICRO})),
    ),
    (
        budgets.ledgers_count_what_was_used,
        step(state(), state(executions=(DONE,), ledgers={USD: 2 * MICRO}, staged=(("e", {"usd": 2}),))),
    ),
    (budgets.reservations_are_of_runs_under_way, step(state(), state(reserved=()))),
    (
        budgets.reservations_are_of_runs_under_way,
        step(state(), state(works=(work(state="waiting"),), executions=(DONE,))),
    ),
    (budgets.no_start_goes_beyond_a_budget, step(state(**UNSTARTED), state(ledgers={USD: 6 * MICRO}))),
    (budgets.a_budget_pass_is_used_once, step(state(**UNSTARTED), state(works=(work(budget_pass=1),)))),
    (
        starts.nothing_starts_on_a_paused_account,
        step(state(**UNSTARTED, accounts=("provider",)), state(accounts=("provider",))),
    ),
    (
        starts.a_deferral_counts_nothing,
        step(state(), state(works=(work(failures=1),), executions=({**DONE, "outcome": "deferred"},))),
    ),
    (starts.brakes_hold, step(state(**UNSTARTED), state(works=(work(brake=json.dumps({"starts": [0] * 6})),)))),
    (
        starts.a_suspended_run_is_parked_once,
        step(state(executions=(attempt(suspended="x"),)), state(executions=(attempt(phase="parked", suspended="x"),))),
    ),
    (segments.segments_join, step(state(), state(executions=(attempt(segments=RECOVERED_LATE),)))),
    (segments.segments_join, step(state(), state(executions=(attempt(segments=stretches((0, 3))),)))),
    (segments.segments_sum, step(state(), state(executions=({**FINISHED, "segments": stretches((3, 5))},)))),
    (
        segments.segments_sum,
        step(
            state(), state(executions=(attempt(phase="parked", segments=stretches((0, 5)), remaining=4, timeout=10),))
        ),
    ),
    (runs.every_run_has_its_slot, step(state(), state(executions=(FINISHED,)))),
    (runs.one_run_of_an_attempt, step(state(), state(), on=machine(run(), run("e/2")))),
    (runs.one_run_of_a_work, step(state(), state(), on=machine(run(), run("e2/1", "e2")))),
)


@pytest.mark.parametrize(("check", "broken"), CASES, ids=lambda each: getattr(each, "__name__", ""))
def test_an_invariant_finds_what_violates_it(check: Check, broken: Step) -> None:
    assert list(check(broken))


@pytest.mark.parametrize("check", ALL, ids=lambda each: each.__name__)
def test_an_invariant_finds_nothing_in_a_start_as_it_should_be(check: Check) -> None:
    assert list(check(step(state(**UNSTARTED), state()))) == []


@pytest.mark.parametrize("check", ALL, ids=lambda each: each.__name__)
def test_an_invariant_finds_nothing_in_an_end_as_it_should_be(check: Check) -> None:
    charged = {USD: 2 * MICRO, f"usd/all/day/{DAY}": 2 * MICRO}
    done = state(works=(work(state="waiting"),), executions=(DONE,), ledgers=charged, reserved=())
    assert list(check(step(state(), done, on=machine()))) == []


def test_every_invariant_was_broken() -> None:
    assert {check for check, _ in CASES} == set(ALL)
