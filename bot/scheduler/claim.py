"""The claim: one transaction that turns a ready Work into a leased attempt with a durable launch intent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.admission import Reason, Refused, Terms
from bot.domain.execution import Binding, Execution, Phase
from bot.domain.segment import Segment, Segments
from bot.domain.work import Instructions, Work, WorkState
from bot.ids import EventId, ExecutionId, HoldId, WorkId
from bot.scheduler.accounts import account_started
from bot.scheduler.admission import startable
from bot.scheduler.brakes import started
from bot.scheduler.budgets import afford, charge_start, place_budget_hold, shortfall
from bot.scheduler.gates import Held, place_gate_hold
from bot.scheduler.usage import settle
from bot.storage.contract import Tx
from bot.storage.works import Input


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """
    A Work that may start, as it was read: the snapshot that the claim checks again (C-08).

    ``parked`` is the attempt that this start resumes, on what it was pinned to; None for a new attempt.
    """

    work: Work
    inputs: tuple[Input, ...]
    parked: Execution | None = None


@dataclass(frozen=True, kw_only=True)
class ClaimRequest:
    """
    Everything a claim needs; identities are arguments, so that it can be run again.

    ``revision`` is the item's revision as it is live now. ``held`` is a gate's answer, if one holds.
    ``asked`` is whether the gates were asked for this start. ``lease`` is in milliseconds. ``trigger`` is the pending
    input that stands for the batch; None takes the oldest (C-33). ``instructions`` are the item's text of now where it
    is to be taken up: the same change at another commit.
    """

    candidate: Candidate
    binding: Binding
    terms: Terms
    owner: str
    lease: int
    revision: str
    running: str
    asked: bool
    held: Held | None
    execution: ExecutionId
    hold: HoldId
    event: EventId
    trigger: EventId | None = None
    instructions: Instructions | None = None


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """The attempt is ours; ``inputs`` are what it consumes."""

    work: Work
    execution: Execution
    inputs: tuple[Input, ...]


@dataclass(frozen=True, kw_only=True)
class GateHeld:
    """A gate holds the Work; its hold is written."""

    work: Work


@dataclass(frozen=True, kw_only=True)
class BudgetHeld:
    """A budget holds the Work; its hold is written. ``reason`` is what people are told."""

    work: Work
    reason: str


@dataclass(frozen=True, kw_only=True)
class Moved:
    """The Work, its input or its pass changed since it was read; the next pass looks again."""


def candidate(tx: Tx, work: WorkId, now: Millis, *, terms: Terms) -> Candidate | Refused:
    """
    Read a Work that may start now, or say why it may not.

    One whose budget is used up is among them: the claim holds it, once its gates had their say (C-163, C-184).
    """
    found = tx.works.get(work)
    answer = startable(tx, found, now, terms=terms)
    if isinstance(answer, Refused):
        return answer
    short = afford(tx, found, terms, now)
    # What has ended and is not settled yet reserves still; the claim settles it, then looks again.
    if short is not None and short.reason is Reason.RESERVED and not tx.ledgers.staged():
        return short
    return Candidate(work=found, inputs=tuple(tx.inputs.pending(work)), parked=tx.executions.live_of(work))


def gates_due(work: Work, revision: str) -> bool:
    """
    Whether the start gates must be asked before this start.

    They are asked before the first attempt only (C-182), and skipped once under a pass (C-188); a pass for
    another revision is void.
    """
    return work.attempts == 0 and work.gate_pass != revision


def claim(tx: Tx, request: ClaimRequest, now: Millis) -> Claimed | GateHeld | BudgetHeld | Refused | Moved:
    """
    Claim a Work: all or nothing (C-09).

    Charges what earlier runs used, re-checks the snapshot, then admission and capacity, then writes the gate's hold if
    one holds, or that of a budget which is used up; else charges the start, numbers the attempt, pins its binding,
    takes the lease, records the consumed input and the launch intent (C-10).
    """
    settle(tx, request.terms.budgets, now)
    work = tx.works.find(request.candidate.work.id)
    if work is None or work.version != request.candidate.work.version:
        return Moved()
    if tuple(tx.inputs.pending(work.id)) != request.candidate.inputs:
        return Moved()
    kept = _kept_back(tx, work, request, now)
    if kept is not None:
        return kept
    fresh = request.candidate.parked is None
    execution = _begin(tx, work, request, now) if fresh else _resume(tx, request, now)
    charge_start(tx, work, execution, request.terms.budgets, now, fresh=fresh)
    tx.starts.serve(work.scope)
    return _taken(tx, started(tx, work, request.terms.brakes, now) if fresh else work, execution, request, now)


def _kept_back(
    tx: Tx, work: Work, request: ClaimRequest, now: Millis
) -> GateHeld | BudgetHeld | Refused | Moved | None:
    """Return what keeps a Work from starting: capacity, then a gate, then a budget (C-163, C-184)."""
    answer = startable(tx, work, now, terms=request.terms)
    if isinstance(answer, Refused):
        return answer
    if request.held is not None:
        return GateHeld(work=place_gate_hold(tx, work, request.held, hold=request.hold, event=request.event, now=now))
    if gates_due(work, request.revision) and not request.asked:
        return Moved()
    short = shortfall(tx, work, request.terms, now)
    if short is None:
        return None
    if short.reason is Reason.RESERVED:
        return short.refusal
    held = place_budget_hold(tx, work, short, hold=request.hold, event=request.event, now=now)
    return BudgetHeld(work=held, reason=short.words)


def _begin(tx: Tx, work: Work, request: ClaimRequest, now: Millis) -> Execution:
    execution = Execution(
        id=request.execution,
        work=work.id,
        scope=work.scope,
        number=work.attempts + 1,
        epoch=1,
        owner=request.owner,
        lease_until=Millis(now + request.lease),
        phase=Phase.LAUNCHING,
        slot=True,
        trigger=_trigger(request),
        binding=request.binding,
        segments=Segments().begin(Segment(started_at=now)),
        deadline=Millis(now + request.binding.timeout),
        started_at=now,
    )
    tx.executions.insert(execution)
    return execution


def _resume(tx: Tx, request: ClaimRequest, now: Millis) -> Execution:
    """Take up a parked attempt where it stopped, with what is left of its time (C-28, C-36)."""
    parked = request.candidate.parked
    assert parked is not None  # noqa: S101 - only a parked attempt is resumed
    segments = parked.segments.begin(Segment(started_at=now, wake=_trigger(request)))
    resumed = replace(parked, segments=segments, deadline=Millis(now + (parked.remaining or 0)))
    tx.executions.resume(resumed, owner=request.owner, lease_until=Millis(now + request.lease))
    return tx.executions.get(parked.id)


def _taken(tx: Tx, work: Work, execution: Execution, request: ClaimRequest, now: Millis) -> Claimed:
    for entry in request.candidate.inputs:
        tx.inputs.consume(entry, execution.id, epoch=execution.epoch)
    account_started(tx, execution.binding.account, now)
    begun = replace(
        work,
        state=WorkState.RUNNING,
        status=request.running,
        attempts=execution.number,
        gate_pass=None,
        budget_pass=False,
        reason="",
        instructions=request.instructions or work.instructions,
    )
    return Claimed(work=tx.works.save(begun, now), execution=execution, inputs=request.candidate.inputs)


def _trigger(request: ClaimRequest) -> EventId:
    return request.trigger or request.candidate.inputs[0].event
