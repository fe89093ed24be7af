"""The claim: one transaction that turns a ready Work into a leased attempt with a durable launch intent."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.admission import Limits, Refused
from bot.domain.execution import Binding, Execution, Phase
from bot.domain.segment import Segment, Segments
from bot.domain.work import Work, WorkState
from bot.ids import EventId, ExecutionId, HoldId, WorkId
from bot.scheduler.admission import admission
from bot.scheduler.gates import Held, place_gate_hold
from bot.storage.contract import Tx
from bot.storage.works import Input


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A Work that may start, as it was read: the snapshot that the claim checks again (C-08)."""

    work: Work
    inputs: tuple[Input, ...]


@dataclass(frozen=True, kw_only=True)
class ClaimRequest:
    """
    Everything a claim needs; identities are arguments, so that it can be run again.

    ``revision`` is the item's revision as it is live now. ``held`` is a gate's answer, if one holds.
    ``asked`` is whether the gates were asked for this start. ``lease`` is in milliseconds.
    """

    candidate: Candidate
    binding: Binding
    limits: Limits
    owner: str
    lease: int
    revision: str
    running: str
    asked: bool
    held: Held | None
    execution: ExecutionId
    hold: HoldId
    event: EventId


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
class Moved:
    """The Work, its input or its pass changed since it was read; the next pass looks again."""


def candidate(tx: Tx, work: WorkId, now: Millis, *, limits: Limits, pool: str) -> Candidate | Refused:
    """Read a Work that may start now, or say why it may not."""
    found = tx.works.get(work)
    answer = admission(tx, found, now, limits=limits, pool=pool)
    if isinstance(answer, Refused):
        return answer
    return Candidate(work=found, inputs=tuple(tx.inputs.pending(work)))


def gates_due(work: Work, revision: str) -> bool:
    """
    Whether the start gates must be asked before this start.

    They are asked before the first attempt only (C-182), and skipped once under a pass (C-188); a pass for
    another revision is void.
    """
    return work.attempts == 0 and work.gate_pass != revision


def claim(tx: Tx, request: ClaimRequest, now: Millis) -> Claimed | GateHeld | Refused | Moved:
    """
    Claim a Work: all or nothing (C-09).

    Re-checks the snapshot, then admission and capacity, then writes the gate's hold if one holds; else numbers
    the attempt, pins its binding, takes the lease, records the consumed input and the launch intent (C-10).
    """
    work = tx.works.find(request.candidate.work.id)
    if work is None or work.version != request.candidate.work.version:
        return Moved()
    if tuple(tx.inputs.pending(work.id)) != request.candidate.inputs:
        return Moved()
    answer = admission(tx, work, now, limits=request.limits, pool=request.binding.pool)
    if isinstance(answer, Refused):
        return answer
    if request.held is not None:
        return GateHeld(work=place_gate_hold(tx, work, request.held, hold=request.hold, event=request.event, now=now))
    if gates_due(work, request.revision) and not request.asked:
        return Moved()
    return _start(tx, work, request, now)


def _start(tx: Tx, work: Work, request: ClaimRequest, now: Millis) -> Claimed:
    inputs = request.candidate.inputs
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
        trigger=inputs[0].event,
        binding=request.binding,
        segments=Segments().begin(Segment(started_at=now)),
        deadline=Millis(now + request.binding.timeout),
        started_at=now,
    )
    tx.executions.insert(execution)
    for entry in inputs:
        tx.inputs.consume(entry, execution.id)
    started = replace(
        work,
        state=WorkState.RUNNING,
        status=request.running,
        attempts=execution.number,
        gate_pass=None,
        reason="",
    )
    return Claimed(work=tx.works.save(started, now), execution=execution, inputs=inputs)
