"""The end of a run is written down before anything is done with it."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Result
from bot.scheduler.controls import consume_injected
from bot.scheduler.launch import held
from bot.storage.contract import Tx


def store_result(tx: Tx, fence: Fence, result: Result, now: Millis) -> Execution:
    """
    Store a structured result: from now on the attempt only publishes and completes, never runs again.

    A turn that the run declared by its token counts when the result itself names none (C-121). The run has
    ended, so nothing holds its slot once the attempt is finished (C-78). Raises ``StaleEpochError``.
    """
    execution = held(tx, fence, now)
    turn = result.turn or execution.declared
    if turn is not None:
        # What the executor measured itself stands above what the run says of itself.
        result = replace(result, turn=turn, units={**turn.used, **result.units})
    stored = replace(execution, phase=Phase.PUBLISHING, result=result, token="")
    tx.executions.write(stored, now)
    consume_injected(tx, stored, result.consumed, now)
    tx.threads.touch(tx.works.get(stored.work).item)
    return stored


def postpone_publishing(tx: Tx, fence: Fence, *, until: Millis, reason: str, now: Millis) -> Execution:
    """Note that publishing failed and will be tried again at ``until``. Raises ``StaleEpochError``."""
    execution = held(tx, fence, now)
    later = replace(execution, publish_tries=execution.publish_tries + 1, next_at=until, summary=reason)
    tx.executions.write(later, now)
    return later
