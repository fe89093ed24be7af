"""Parking: a run that stopped inside its turn gives up its lease and slot until what it waits for has come true."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.execution import Fence
from bot.domain.result import Result
from bot.domain.work import Work
from bot.ids import TimerId
from bot.scheduler.controls import consume_injected
from bot.scheduler.finish import Finished, conclude
from bot.scheduler.launch import held
from bot.scheduler.timeout import timed_out
from bot.scheduler.turns import publish_turn
from bot.scheduler.usage import reported, stage
from bot.scheduler.waits import register
from bot.storage.contract import Tx


@dataclass(frozen=True, kw_only=True)
class Parked:
    """The attempt is parked; ``work`` waits, or is ready when what it waited for had come already."""

    work: Work


def park(tx: Tx, fence: Fence, result: Result, *, status: str | None, timer: TimerId, now: Millis) -> Parked | Finished:
    """
    Park an attempt whose run was observed to be suspended (C-37, C-121).

    Its open segment ends, and what is left of its timeout is kept: the ended segments and the rest are always the whole
    timeout (C-42). A turn that came with the suspension is published (C-93) and its word shown, else ``status``. What
    is not routed yet is not overtaken: it finds a Work that waits, and wakes it (C-85). A run that is over its deadline
    is timed out instead. Raises ``StaleEpochError``, and ``ValueError`` for a result without a suspension.
    """
    suspension = result.suspension
    if suspension is None:
        raise ValueError("only a run that is suspended is parked")
    execution = held(tx, fence, now)
    consume_injected(tx, execution, result.consumed, now)
    turn = result.turn or execution.declared
    if execution.deadline <= now:
        # What it said and used counts all the same; of the run itself nothing is left.
        late = replace(execution, result=replace(result, ok=False, turn=turn, suspension=None))
        return conclude(tx, late, timed_out(execution), timer=timer, stopped=True, now=now)
    segments = execution.segments.end(now)
    remaining = execution.binding.timeout - segments.active()
    units = reported(execution, result)
    staged = stage(tx, execution, units, now)
    parked = replace(staged, segments=segments, remaining=remaining, suspended=suspension.session)
    tx.executions.park(parked, now)
    work = tx.works.get(execution.work).charged(units)
    if turn is not None:
        publish_turn(tx, work, execution, turn, now)
    shown = replace(work, status=status) if turn is None else replace(work, status=turn.status, comment=turn.comment)
    return Parked(work=register(tx, shown, suspension.awaited, execution, timer=timer, now=now))
