"""Due timers become accepted events, which make their Work eligible again."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.timer import Timer
from bot.domain.work import WorkState
from bot.ids import EventId
from bot.storage.contract import Tx

RETRY_TYPE = "core.retry.due"


def fire(tx: Tx, timer: Timer, now: Millis) -> bool:
    """
    Fire a due retry timer: accept its event, remove it, and queue the event as input, all or nothing (C-122).

    An old generation, an ended Work and a repeat have no effect (C-127). Returns whether the Work is eligible.
    """
    if timer.due_at > now or not tx.timers.remove(timer.id):
        return False
    work = tx.works.get(timer.work)
    if work.state is not WorkState.READY or work.attempts != timer.generation:
        return False
    natural_key = f"retry/{work.id}/{timer.generation}"
    event = tx.events.accept(
        NewEvent(
            id=EventId(natural_key),
            source="core",
            type=RETRY_TYPE,
            natural_key=natural_key,
            scope=work.scope,
            data={"work": work.id, "generation": timer.generation},
            cause=timer.cause,
        ),
        now,
        routing=Routing.ROUTED,
    )
    if event is None:
        return False
    tx.inputs.add(work.id, event, kind="retry")
    tx.works.save(work, now)
    return True
