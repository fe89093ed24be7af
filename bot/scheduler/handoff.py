"""Automatic continuation: an attempt that hands back queues input of its own, where its binding says so (C-103)."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.execution import Execution
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.causes import MAX_DEPTH, TooDeep, accept_derived
from bot.storage.contract import Tx

EVENT = "core.execution.handoff"
INPUT = "handoff"
"""The kind of input that a Work's own handoff is."""


def go_on(tx: Tx, work: Work, execution: Execution, now: Millis) -> Work:
    """
    Queue the handoff of an attempt as the next input of its Work, in the transaction that ends it.

    One handoff of an attempt is one event. When too long a chain of them is refused, only this branch stops: the
    attempt's end stays as it is, the Work says why, and other input starts it again (C-104). Returns the Work as it is
    to be saved.
    """
    natural_key = f"handoff/{execution.id}"
    event = NewEvent(
        id=EventId(natural_key),
        source="core",
        type=EVENT,
        natural_key=natural_key,
        scope=work.scope,
        data={"work": work.id, "execution": execution.id},
        cause=execution.cause,
    )
    accepted = accept_derived(tx, event, now, routing=Routing.ROUTED)
    if isinstance(accepted, TooDeep):
        return replace(work, reason=f"It went on by itself {MAX_DEPTH} times, which is as often as it may.")
    if accepted is not None:
        tx.inputs.add(work.id, accepted, kind=INPUT)
    return work
