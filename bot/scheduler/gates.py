"""
Start gates: asked before a Work's first attempt, able to hold it (C-180 … C-193).

The core knows nothing of why a gate holds (C-193). A gate is asked outside any transaction, only when capacity
allows the start (C-181), and only for the first attempt (C-182).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.clock import Millis
from bot.domain.execution import Binding
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.work import Instructions, Work
from bot.errors import StartGateError
from bot.ids import EventId, HoldId
from bot.scheduler.cancel import cancel
from bot.scheduler.records import record
from bot.storage.contract import Tx
from bot.storage.works import Input


@dataclass(frozen=True, kw_only=True)
class Ask:
    """
    What a gate is asked about: the Work, what it would run on, and the input that would be its first.

    ``current`` is the item's text as it is live now, which may differ from the Work's own snapshot.
    """

    work: Work
    binding: Binding
    first: Input
    current: Instructions
    now: Millis


@dataclass(frozen=True, kw_only=True)
class Allow:
    """The gate lets the Work start."""


@dataclass(frozen=True, kw_only=True)
class StartHold:
    """
    The gate holds the Work.

    ``revision`` is what a decision will be bound to; ``instructions``, when given, replace the Work's own text,
    so that what is asked about and what would run are the same.
    """

    reason: str
    revision: str
    details: Mapping[str, object] = field(default_factory=dict)
    instructions: Instructions | None = None


class StartGate(Protocol):
    """One registration of a gate."""

    @property
    def name(self) -> str:
        """Its registration name, which is the holder of its holds."""
        ...

    async def ask(self, ask: Ask) -> Allow | StartHold:
        """Answer. Raising anything means that it could not decide: nothing is held, the next pass asks again."""
        ...


@dataclass(frozen=True, kw_only=True)
class Held:
    """A gate's answer, with its name: what the claim writes down."""

    holder: str
    hold: StartHold


async def ask_gates(gates: Sequence[StartGate], ask: Ask) -> Held | None:
    """
    Ask every gate in the order of their names; the first that holds ends it.

    Raises ``StartGateError`` when one could not decide (C-186).
    """
    for gate in sorted(gates, key=lambda each: each.name):
        try:
            answer = await gate.ask(ask)
        except Exception as error:
            raise StartGateError(f"the start gate {gate.name!r} could not decide: {error}") from error
        if isinstance(answer, StartHold):
            return Held(holder=gate.name, hold=answer)
    return None


def place_gate_hold(tx: Tx, work: Work, held: Held, *, hold: HoldId, event: EventId, now: Millis) -> Work:
    """Place a gate's hold, with its event, and return the Work (C-184)."""
    tx.holds.place(
        Hold(
            id=hold,
            work=work.id,
            kind=HoldKind.GATE,
            holder=held.holder,
            reason=held.hold.reason,
            revision=held.hold.revision,
            details=held.hold.details,
            placed_at=now,
        )
    )
    record(tx, work, "core.gate.held", f"gate/{hold}/held", event=event, reason=held.hold.reason, now=now)
    instructions = held.hold.instructions or work.instructions
    return tx.works.save(replace(work, gate_pass=None, instructions=instructions), now)


class Settled(enum.Enum):
    """What became of the settlement of a hold."""

    DONE = "done"
    ALREADY = "already"
    """It was settled before; nothing changed."""
    NOT_YOURS = "not yours"
    """Another registration holds it; nothing changed (C-187)."""


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """A holder's word on its hold. ``by`` is the person, ``event`` the identity of the event that records it."""

    hold: HoldId
    holder: str
    by: str
    reason: str
    event: EventId


def admit_gate_hold(tx: Tx, settlement: Settlement, now: Millis) -> Settled:
    """Let the Work start: the hold goes, and a pass for its revision lets the next start skip the gates (C-188)."""
    hold, answer = _open_hold(tx, settlement)
    if hold is None:
        return answer
    tx.holds.settle(hold.id, HoldState.ADMITTED, by=settlement.by, reason=settlement.reason, now=now)
    work = tx.works.get(hold.work)
    tx.works.save(replace(work, gate_pass=hold.revision), now)
    _settled(tx, work, "core.gate.released", settlement, now)
    return Settled.DONE


def refuse_gate_hold(tx: Tx, settlement: Settlement, now: Millis) -> Settled:
    """Refuse the start: the Work is cancelled (C-190)."""
    hold, answer = _open_hold(tx, settlement)
    if hold is None:
        return answer
    tx.holds.settle(hold.id, HoldState.REFUSED, by=settlement.by, reason=settlement.reason, now=now)
    work = tx.works.get(hold.work)
    _settled(tx, work, "core.gate.refused", settlement, now)
    cancel(tx, work.id, by=settlement.by, reason=settlement.reason, now=now)
    return Settled.DONE


def replace_gate_hold(tx: Tx, old: HoldId, held: Held, *, new: HoldId, event: EventId, now: Millis) -> Work | None:
    """
    Place a hold anew because what it asked about has changed (ag-E07).

    Returns None when the old hold is not open any more: nothing changed.
    """
    hold = tx.holds.get(old)
    if hold is None or hold.holder != held.holder or hold.state is not HoldState.OPEN:
        return None
    tx.holds.settle(old, HoldState.STALE, by=held.holder, reason="what it asks about has changed", now=now)
    return place_gate_hold(tx, tx.works.get(hold.work), held, hold=new, event=event, now=now)


def _open_hold(tx: Tx, settlement: Settlement) -> tuple[Hold | None, Settled]:
    hold = tx.holds.get(settlement.hold)
    if hold is None or hold.kind is not HoldKind.GATE or hold.holder != settlement.holder:
        return None, Settled.NOT_YOURS
    if hold.state is not HoldState.OPEN:
        return None, Settled.ALREADY
    return hold, Settled.DONE


def _settled(tx: Tx, work: Work, kind: str, settlement: Settlement, now: Millis) -> None:
    key = f"gate/{settlement.hold}/settled"
    record(tx, work, kind, key, event=settlement.event, reason=settlement.reason, now=now, by=settlement.by)
