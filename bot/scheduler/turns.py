"""Turn events: an attempt's word, published for whoever waits on it (C-92 … C-99)."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import NewEvent, Routing
from bot.domain.execution import Execution
from bot.domain.turn import EVENT, Turn
from bot.domain.work import Work
from bot.ids import EventId
from bot.scheduler.causes import TooDeep, accept_derived
from bot.scheduler.waits import meet
from bot.storage.contract import Tx

SCHEMA = "core.execution.turn.v1"


def publish_turn(tx: Tx, work: Work, execution: Execution, turn: Turn, now: Millis) -> int:
    """
    Accept one turn event per correlation key of the Work, or one without a key (C-94).

    Their natural key names the attempt and its epoch, so that a repeated transition is a no-op (C-96). They are
    unmatched: never input to the Work itself, but other Work may wait for them (C-97). Where they would end too long a
    chain of events, none is published (C-101). Returns how many were new.
    """
    keys = tx.works.keys(work.id)
    accepted = 0
    for key in keys or (None,):
        delivery = f"turn/{execution.id}/{execution.epoch}" + (f"/{key}" if key else "")
        event = NewEvent(
            id=EventId(delivery),
            source="core",
            type=EVENT,
            natural_key=delivery,
            keys=(key,) if key else (),
            scope=work.scope,
            data={"schema": SCHEMA, "status": turn.status, "work": work.id, "execution": execution.id},
            cause=execution.cause,
        )
        published = accept_derived(tx, event, now, routing=Routing.UNMATCHED)
        if isinstance(published, TooDeep):
            break
        if published is not None:
            accepted += 1
            meet(tx, published, now)
    return accepted
