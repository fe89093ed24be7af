"""
The end of attempts that are over their deadline (C-39, C-90).

A deadline that is due gives nobody authority: what times an attempt out holds its lease, or takes it over first,
in the same transaction (C-91)::

    def change(tx):
        taken = recover(tx, overdue_one, owner=…, lease=…, now=now)    # only when its lease has lapsed
        return None if taken is None else time_out(tx, taken.execution.fence, timer=…, now=now)

So nothing of it is ever launched again (C-66), and what is left of the take-over is a segment of no length (C-40).
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.clock import MINUTE, Millis
from bot.domain.execution import Execution, Fence, Phase
from bot.domain.result import Ending, Outcome
from bot.ids import TimerId
from bot.scheduler.finish import Finished, conclude
from bot.scheduler.launch import held
from bot.storage.contract import Tx


def overdue(tx: Tx, now: Millis, *, after: Execution | None = None, limit: int = 100) -> Sequence[Execution]:
    """
    Return live attempts whose deadline is due, whoever holds them, the earliest first, from the one after ``after``.

    The deadline bounds a run. One whose result is stored has ended in time and is still being published, so that it
    is not among them.
    """
    return tx.executions.overdue(now, after=after, limit=limit)


def time_out(tx: Tx, fence: Fence, *, timer: TimerId, now: Millis) -> Finished | None:
    """
    End an attempt that is over its deadline, as a failure; its retry policy says what follows.

    Its slot stays taken until a stop is confirmed, since a run that is late is running (C-76). Returns None, and
    writes nothing, when the deadline is not due or a result was stored. Raises ``StaleEpochError`` without a live
    lease.
    """
    execution = held(tx, fence, now)
    if execution.phase is Phase.PUBLISHING or execution.deadline > now:
        return None
    return conclude(tx, execution, timed_out(execution), timer=timer, stopped=False, now=now)


def timed_out(execution: Execution) -> Ending:
    """Return the end of an attempt that is over its time."""
    summary = f"timed out after {execution.binding.timeout / MINUTE:g} min"
    return Ending(outcome=Outcome.FAILED, comment=summary, summary=summary)
