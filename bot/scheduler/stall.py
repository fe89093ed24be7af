"""
Launches that get nowhere.

An attempt whose launch or adoption is under way has a deadline of its own, which starts anew with each of its steps
(gh-Z-14): it would hold its slot for the whole timeout otherwise. It ends as a failure like any other, by whoever holds
its lease. One that nobody holds is recovery's: that it stood still was the host's fault, and not its own (C-62).
"""

from __future__ import annotations

from bot.clock import MINUTE, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Ending, Outcome
from bot.ids import TimerId
from bot.scheduler.finish import Finished, conclude
from bot.scheduler.launch import held
from bot.storage.contract import Tx

_UNDER_WAY = frozenset({Phase.LAUNCHING, Phase.RECOVERING})


def stalled(execution: Execution, *, allowed: int, now: Millis) -> bool:
    """Whether a launch that is under way has made no progress for ``allowed`` milliseconds."""
    if execution.phase not in _UNDER_WAY:
        return False
    segment = execution.segments.open
    steps = (phase.started_at if phase.ended_at is None else phase.ended_at for phase in segment.launch)
    return max(segment.started_at, *steps, 0) + allowed <= now


def end_stalled(tx: Tx, fence: Fence, *, allowed: int, timer: TimerId, now: Millis) -> Finished | None:
    """
    End an attempt whose launch got nowhere; its slot stays taken until a stop is confirmed (C-76).

    Returns None, and writes nothing, when the launch has got on. Raises ``StaleEpochError`` without a live lease.
    """
    execution = held(tx, fence, now)
    if not stalled(execution, allowed=allowed, now=now):
        return None
    summary = f"the launch made no progress for {allowed / MINUTE:g} min"
    ending = Ending(outcome=Outcome.FAILED, comment=summary, summary=summary)
    return conclude(tx, execution, ending, timer=timer, stopped=False, now=now)
