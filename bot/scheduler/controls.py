"""
Controls: further input, and requests to stop, sent to a run that is under way.

An intent is written with the event behind it, claimed under a token, sent outside any transaction and settled under
the same token (C-130). It uses what its attempt was pinned to and no other attempt ever (C-131, C-136). That a run
accepted input is no proof that it took it up: the input stays pending until the run's result says so (C-133).
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from bot.clock import SECOND, Millis
from bot.domain.control import Answer, Answered, Control, ControlKind, ControlState, Injection
from bot.domain.event import Event
from bot.domain.execution import Execution, Phase
from bot.domain.kind import Capability, Fallback
from bot.domain.retry import backoff
from bot.domain.work import Work
from bot.ids import ControlId, EventId
from bot.storage.contract import Tx
from bot.storage.works import Input

LEASE = 30 * SECOND
"""How long a dispatch is trusted to be under way, in milliseconds."""
TRIES = 5
"""How often an intent is sent when nobody knows whether it arrived."""
_BEFORE_THE_END = frozenset({Phase.LAUNCHING, Phase.RECOVERING, Phase.RUNNING})
_CODE = re.compile(r"[a-z][a-z0-9-]{0,39}")
_FALLBACKS = {Fallback.QUEUE: ControlState.QUEUED, Fallback.DROP: ControlState.DROPPED}


class Undispatched(enum.Enum):
    """Why an intent is not sent now."""

    NOT_YET = "not yet"
    """Its attempt does not run here yet, it is not due, or somebody else sends it; a later pass looks again (C-138)."""
    SETTLED = "settled"
    """There is nothing to send it to, or it was tried often enough."""


@dataclass(frozen=True, kw_only=True)
class Dispatch:
    """An intent that is ours to send, once; ``message`` is the input, None for a request to stop."""

    control: Control
    execution: Execution
    message: Injection | None


def control_id(kind: ControlKind, execution: Execution, seq: int) -> ControlId:
    """Return the identity of the one intent of its kind for an attempt and an event."""
    return ControlId(f"{kind.value}/{execution.id}/{seq}")


def offer_input(tx: Tx, work: Work, event: Event, now: Millis) -> None:
    """
    Let input that was just queued reach the attempt that runs, if its executor took input when it was claimed (C-132).

    The input stays pending either way (C-133). Nothing is written when nothing of the Work runs or will.
    """
    execution = tx.executions.live_of(work.id)
    if execution is None or execution.phase not in _BEFORE_THE_END:
        return
    if Capability.INJECT in execution.binding.capabilities:
        tx.controls.add(intent(ControlKind.INJECT, execution, event.seq, now))


def intent(kind: ControlKind, execution: Execution, seq: int, now: Millis) -> Control:
    """Return a fresh intent for an attempt at the epoch that it has."""
    return Control(
        id=control_id(kind, execution, seq),
        work=execution.work,
        execution=execution.id,
        epoch=execution.epoch,
        kind=kind,
        seq=seq,
        next_at=now,
        created_at=now,
    )


def claim_control(tx: Tx, identity: ControlId, *, token: str, owner: str, now: Millis) -> Dispatch | Undispatched:
    """
    Take an intent to send it, under ``token``.

    Input goes only to an attempt that runs at the intent's epoch under a live lease of ``owner``. An intent whose
    target is gone is settled here as stale, and one that was sent often enough as its attempt's fallback says (C-135).
    """
    control = tx.controls.get(identity)
    if not control.state.open or control.next_at > now or control.lease_until > now:
        return Undispatched.NOT_YET
    execution = tx.executions.get(control.execution)
    entry = _input(tx, control)
    if gone(control, execution) or (control.kind is ControlKind.INJECT and entry is None):
        _settle(tx, control, ControlState.STALE, now)
        return Undispatched.SETTLED
    if control.tries >= TRIES:
        _settle(tx, control, _fallback(control, execution), now, note=control.note or "unanswered")
        return Undispatched.SETTLED
    if not _here(control, execution, owner, now):
        return Undispatched.NOT_YET
    sent = replace(
        control,
        state=ControlState.DISPATCHED,
        token=token,
        lease_until=Millis(now + LEASE),
        tries=control.tries + 1,
        note="",
    )
    tx.controls.write(sent)
    return Dispatch(control=sent, execution=execution, message=None if entry is None else _message(sent, entry))


def settle_control(tx: Tx, identity: ControlId, *, token: str, answered: Answered, now: Millis) -> ControlState | None:
    """
    Record what a run said to an intent, and return where the intent stands.

    Returns None, and writes nothing, when ``token`` does not hold it any more: its lease has lapsed, somebody else
    sends it, or it was settled meanwhile (C-130, C-136).
    """
    control = tx.controls.get(identity)
    if control.state is not ControlState.DISPATCHED or control.token != token or control.lease_until <= now:
        return None
    execution = tx.executions.get(control.execution)
    code = answered.code if _CODE.fullmatch(answered.code) else ""
    if gone(control, execution):
        return _settle(tx, control, ControlState.STALE, now)
    match answered.answer:
        case Answer.ACCEPTED:
            return _settle(tx, control, ControlState.ACCEPTED, now)
        case Answer.NOT_ACCEPTING:
            return _settle(tx, control, ControlState.NOT_ACCEPTING, now)
        case Answer.FAILED if control.tries < TRIES:
            wait = backoff(control.tries, base=SECOND, most=30 * SECOND)
            again = replace(
                control,
                state=ControlState.PENDING,
                token="",
                lease_until=Millis(0),
                next_at=Millis(now + wait),
                note=code or "failed",
            )
            tx.controls.write(again)
            return again.state
        case _:
            return _settle(tx, control, _fallback(control, execution), now, note=code or "failed")


def consume_injected(tx: Tx, execution: Execution, consumed: tuple[EventId, ...], now: Millis) -> None:
    """
    Give an attempt the input that its result says it took up while it ran (C-139).

    Their intents are settled as consumed, wherever they stood: also while an acknowledgement is under way. Only input
    that was sent to this attempt counts; whatever else a result names stays where it is.
    """
    if not consumed:
        return
    sent = {each.seq: each for each in tx.controls.of_execution(execution.id) if each.tries > 0}
    for entry in tx.inputs.pending(execution.work):
        control = sent.get(entry.seq)
        if control is not None and control.kind is ControlKind.INJECT and entry.event in consumed:
            tx.inputs.consume(entry, execution.id)
            _settle(tx, control, ControlState.CONSUMED, now)


def gone(control: Control, execution: Execution) -> bool:
    """
    Whether there is nothing left that an intent could be for: its attempt ended, parked, or went on at another epoch.

    A request to stop is for an attempt that was ended before: that is gone when nothing of it can be running.
    """
    if execution.epoch != control.epoch:
        return True
    if control.kind is ControlKind.INTERRUPT:
        return not execution.slot
    return execution.phase not in _BEFORE_THE_END


def _here(control: Control, execution: Execution, owner: str, now: Millis) -> bool:
    if execution.owner != owner:
        return False
    asks = control.kind is ControlKind.INTERRUPT
    return asks or (execution.phase is Phase.RUNNING and execution.lease_until > now)


def _input(tx: Tx, control: Control) -> Input | None:
    if control.kind is not ControlKind.INJECT:
        return None
    return next((entry for entry in tx.inputs.pending(control.work) if entry.seq == control.seq), None)


def _message(control: Control, entry: Input) -> Injection:
    return Injection(key=control.id, event=entry.event, kind=entry.kind, author=entry.author, body=entry.body)


def _fallback(control: Control, execution: Execution) -> ControlState:
    if control.kind is ControlKind.INTERRUPT:
        return ControlState.DROPPED
    return _FALLBACKS[execution.binding.fallback]


def _settle(tx: Tx, control: Control, state: ControlState, now: Millis, *, note: str = "") -> ControlState:
    settled = replace(control, state=state, token="", lease_until=Millis(0), note=note, settled_at=now)
    tx.controls.write(settled)
    return state
