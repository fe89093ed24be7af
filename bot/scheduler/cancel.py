"""Ending a Work before its time, or because it is done elsewhere. One transaction fences everything (C-141)."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.hold import HoldState
from bot.domain.result import Outcome
from bot.domain.work import Gone, Work, WorkState
from bot.ids import WorkId
from bot.scheduler.usage import reported, stage
from bot.storage.contract import Tx


def cancel(tx: Tx, work: WorkId, *, by: str, reason: str, now: Millis) -> Work | None:
    """
    Cancel a Work: its attempt, timers, holds and input end with it. ``by`` is a login, empty when nobody is known.

    Returns the cancelled Work, or None when it had ended already. The processes of its attempt are stopped
    after the commit (C-142); until that is confirmed its slot stays taken.
    """
    return _end(tx, work, WorkState.CANCELLED, by=by, reason=reason, now=now)


def lose(tx: Tx, work: WorkId, why: Gone, *, now: Millis) -> Work | None:
    """Cancel a Work whose item cannot be reached any more. Else as ``cancel``."""
    return _end(tx, work, WorkState.CANCELLED, by="", reason=why.value, now=now, gone=True)


def complete_elsewhere(tx: Tx, work: WorkId, *, by: str, reason: str, now: Millis) -> Work | None:
    """Complete a Work because what it was for is done, such as its pull request merged. Else as ``cancel``."""
    return _end(tx, work, WorkState.COMPLETED, by=by, reason=reason, now=now)


def leave(tx: Tx, work: WorkId, *, by: str, reason: str, now: Millis) -> None:
    """Settle what an ending Work leaves: holds, timers, waits, controls, and input that nobody will take up."""
    for hold in tx.holds.open(work):
        tx.holds.settle(hold.id, HoldState.ENDED, by=by, reason=reason, now=now)
    tx.timers.remove_all(work)
    tx.subscriptions.remove(work)
    tx.controls.abandon(work, now)
    tx.inputs.drop(work)


def _end(
    tx: Tx, work_id: WorkId, state: WorkState, *, by: str, reason: str, now: Millis, gone: bool = False
) -> Work | None:
    work = tx.works.get(work_id)
    if work.state.final:
        return None
    live = tx.executions.live_of(work.id)
    if live is not None:
        # A stored result proves that the run has ended (C-78), and of a parked attempt nothing runs; of any other
        # something may be running.
        units = reported(live, live.result)
        live = stage(tx, live, units, now)
        tx.executions.end(replace(live, slot=live.slot and live.result is None), Outcome.CANCELLED, reason, now)
        work = work.charged(units)
    leave(tx, work.id, by=by, reason=reason, now=now)
    ended = replace(work, state=state, waits=(), gate_pass=None, ended_by=by, reason=reason, ended_at=now, gone=gone)
    return tx.works.save(ended, now)
