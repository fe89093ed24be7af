"""
Interrupting a run: the attempt is ended first, the run is asked to stop after that (C-140).

::

    interrupt (fenced, ready again, slot kept) → asked, if its executor can ask → stopped, on evidence → slot free

What the run says when it is asked proves nothing (C-142); only the stop that follows does, and until then no other
attempt of the Work starts (C-76).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import SECOND, Millis
from bot.domain.control import ControlKind
from bot.domain.execution import Execution, Phase
from bot.domain.kind import Capability
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.ids import WorkId
from bot.scheduler.controls import intent
from bot.scheduler.usage import reported, stage
from bot.storage.contract import Tx

PATIENCE = 10 * SECOND
"""How long a run that is asked to stop is left to do so by itself, in milliseconds; then it is stopped."""
_NOTHING_RUNS = frozenset({Phase.PARKED, Phase.PUBLISHING})


@dataclass(frozen=True, kw_only=True)
class Interrupted:
    """The attempt has ended; the Work is ready again, and starts once the run is known to have stopped."""

    work: Work
    execution: Execution


def interrupt(tx: Tx, work: WorkId, *, by: str, reason: str, seq: int, now: Millis) -> Interrupted | None:
    """
    End the attempt that runs, put its input back, and leave the Work ready (C-140).

    ``by`` is a login, ``seq`` the acceptance number of the event that asks for it. It counts no failure. Returns None,
    and writes nothing, when nothing runs: also when the run has ended and is being published, which goes on.
    """
    live = tx.executions.live_of(work)
    if live is None or live.phase in _NOTHING_RUNS:
        return None
    summary = f"interrupted by {by}: {reason}"
    units = reported(live, None)
    tx.executions.end(stage(tx, live, units, now), Outcome.INTERRUPTED, summary, now)
    tx.inputs.restore(live.id)
    tx.controls.abandon(work, now)
    if Capability.INTERRUPT in live.binding.capabilities:
        tx.controls.add(intent(ControlKind.INTERRUPT, live, seq, now))
    used = tx.works.get(work).charged(units)
    idle = replace(used, state=WorkState.READY, status=None, reason=reason, waits=())
    return Interrupted(work=tx.works.save(idle, now), execution=tx.executions.get(live.id))


def being_asked(tx: Tx, execution: Execution, now: Millis) -> bool:
    """Whether a run is being asked to stop, and has not been asked for longer than ``PATIENCE``."""
    return any(
        control.kind is ControlKind.INTERRUPT and control.state.open and control.created_at + PATIENCE > now
        for control in tx.controls.of_execution(execution.id)
    )
