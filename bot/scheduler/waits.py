"""
Waiting: what a Work waits for is registered in the transaction that ends its attempt, or parks it (C-105).

A *resume wait* parks the attempt inside its turn: the wake goes on with the same attempt and what is left of its time.
Any other wait follows an attempt that has ended: the wake starts the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bot.clock import Millis
from bot.domain.event import Event
from bot.domain.execution import Execution
from bot.domain.timer import Timer, TimerKind
from bot.domain.turn import EVENT
from bot.domain.wait import Awaited, ends
from bot.domain.work import Work, WorkState
from bot.ids import TimerId
from bot.storage.contract import Tx

TURN_INPUT = "turn"
"""The kind of input that a turn of other Work is."""


def register(tx: Tx, work: Work, awaited: Awaited, execution: Execution, *, timer: TimerId, now: Millis) -> Work:
    """
    Let a Work wait, and return it.

    Nothing falls between: when an awaited input is pending already, or an awaited turn was published that the Work was
    not told of yet, it is ready at once. ``timer`` is the identity of the timer for ``awaited.until``.
    """
    for event in _missed(tx, work, awaited, execution):
        tx.inputs.add(work.id, event, kind=TURN_INPUT)
    kinds = {*awaited.kinds, TURN_INPUT} if awaited.dependencies else set(awaited.kinds)
    if any(ends(kinds, entry.kind) for entry in tx.inputs.pending(work.id)):
        return tx.works.save(replace(work, state=WorkState.READY, waits=()), now)
    for dependency in awaited.dependencies:
        tx.subscriptions.put(work.id, dependency)
    if awaited.until is not None:
        tx.timers.arm(
            Timer(
                id=timer,
                work=work.id,
                kind=TimerKind.WAIT,
                due_at=awaited.until,
                generation=execution.number,
                cause=execution.cause,
            )
        )
    return tx.works.save(replace(work, state=WorkState.WAITING, waits=awaited.kinds), now)


def wake(tx: Tx, work: Work, now: Millis) -> Work:
    """Make a waiting Work ready; what else it waited for is forgotten."""
    forget(tx, work)
    return tx.works.save(replace(work, state=WorkState.READY, waits=()), now)


def forget(tx: Tx, work: Work) -> None:
    """Remove what a Work waits for."""
    tx.subscriptions.remove(work.id)
    timer = tx.timers.of_work(work.id, TimerKind.WAIT)
    if timer is not None:
        tx.timers.remove(timer.id)


def meet(tx: Tx, turn: Event, now: Millis) -> None:
    """Wake the Work that waits for a turn that was just published; never the Work that published it (C-97, C-98)."""
    for key in turn.keys:
        for subscription in tx.subscriptions.to(key):
            # One that nobody can read must not keep the attempt that says its word from ending.
            work = tx.works.legible(subscription.work)
            if work is None or turn.data["work"] == work.id or work.state is not WorkState.WAITING:
                continue
            if not subscription.dependency.met_by(turn.data["status"]):
                continue
            tx.inputs.add(work.id, turn, kind=TURN_INPUT)
            wake(tx, work, now)


def _missed(tx: Tx, work: Work, awaited: Awaited, execution: Execution) -> Iterator[Event]:
    """
    Yield the awaited turns that were published already.

    They were published since the attempt took up its input, or are the word that stands, where words are named.
    """
    taken = tx.inputs.of_execution(work.id, execution.id)
    since = max((entry.seq for entry in taken), default=0)
    for dependency in awaited.dependencies:
        published = tx.events.of_type_with_key(dependency.key, EVENT)
        turns = [event for event in published if event.data["work"] != work.id]
        for event in turns:
            stands = event is turns[-1] and dependency.statuses
            if dependency.met_by(event.data["status"]) and (stands or event.seq > since):
                yield event
