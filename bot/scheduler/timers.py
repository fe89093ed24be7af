"""Due timers become accepted events, which make their Work eligible again."""

from __future__ import annotations

from bot.clock import Millis
from bot.domain.event import Event, NewEvent, Routing
from bot.domain.timer import Timer, TimerKind
from bot.domain.work import Work, WorkState
from bot.ids import EventId
from bot.scheduler.waits import wake
from bot.storage.contract import Tx

RETRY_TYPE = "core.retry.due"
_TYPES = {TimerKind.RETRY: RETRY_TYPE, TimerKind.DEFERRED: "core.deferred.due", TimerKind.WAIT: "core.wait.due"}


def fire(tx: Tx, timer: Timer, now: Millis) -> bool:
    """
    Fire a due timer: accept its event, remove it, and queue the event as input, all or nothing (C-122).

    An old generation, an ended Work and a repeat have no effect (C-127). Returns whether the Work is eligible.
    """
    if timer.due_at > now or not tx.timers.remove(timer.id):
        return False
    work = tx.works.get(timer.work)
    awaits = timer.kind is TimerKind.WAIT
    if work.state is not (WorkState.WAITING if awaits else WorkState.READY) or work.attempts != timer.generation:
        return False
    event = _accept(tx, timer, work, now)
    if event is None:
        return False
    tx.inputs.add(work.id, event, kind=timer.kind.value)
    if awaits:
        wake(tx, work, now)
    else:
        tx.works.save(work, now)
    return True


def _accept(tx: Tx, timer: Timer, work: Work, now: Millis) -> Event | None:
    # An attempt fails once, but it may be parked again and again: only its failure is named by its number.
    name = timer.generation if timer.kind is TimerKind.RETRY else timer.id
    natural_key = f"{timer.kind.value}/{work.id}/{name}"
    return tx.events.accept(
        NewEvent(
            id=EventId(natural_key),
            source="core",
            type=_TYPES[timer.kind],
            natural_key=natural_key,
            scope=work.scope,
            data={"work": work.id, "generation": timer.generation},
            cause=timer.cause,
        ),
        now,
        routing=Routing.ROUTED,
        # A chain that is paced by timers may go on as long as what paces it says.
        deeper=False,
    )
