"""Events become Work or input. Called inside the transaction that settles the event."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import Millis
from bot.domain.event import Event
from bot.domain.wait import ends
from bot.domain.work import Work, WorkState
from bot.scheduler.brakes import PROGRESS
from bot.scheduler.controls import offer_input
from bot.scheduler.waits import wake
from bot.storage.contract import Tx


def open_work(tx: Tx, work: Work, event: Event, *, keys: tuple[str, ...], kind: str) -> Work | None:
    """
    Create a Work with the event as its first input.

    Returns None, and writes nothing, when the item has a live Work of this playbook: one live Work per item and
    playbook, however often its label is added (ag-A07). A successor's ``run`` follows the earlier one; it inherits no
    hold, pass or failure count, and the caller decides which branch and pull request it goes on from.
    """
    if tx.works.live(work.item, work.playbook) is not None:
        return None
    earlier = tx.works.latest(work.item, work.playbook)
    if earlier is not None:
        work = replace(work, run=earlier.run + 1)
    tx.works.insert(work, keys)
    tx.inputs.add(work.id, event, kind=kind, author=work.starter.login)
    return work


def add_input(tx: Tx, work: Work, event: Event, *, kind: str, author: str, body: str, now: Millis) -> Work:
    """
    Queue an event for a live Work, and make it ready when it waits for this kind of input.

    Input queues while the Work is held, runs or backs off (C-129, C-185); it never clears a hold or a timer. A run that
    can take it is offered it (C-133). A Work that has ended takes none, and an event that it had before does not wake
    it again. Returns the Work as it is now.
    """
    work = tx.works.get(work.id)
    if work.state.final or not tx.inputs.add(work.id, event, kind=kind, author=author, body=body):
        return work
    heard = replace(work, marks=work.marks.heard()) if author and kind in PROGRESS else work
    if work.state is WorkState.WAITING and ends(work.waits, kind):
        return wake(tx, heard, now)
    offer_input(tx, work, event, now)
    return work if heard.marks == work.marks else tx.works.save(heard, now)
