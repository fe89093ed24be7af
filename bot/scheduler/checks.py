"""
The checks of a Work's commit are input once all of them have ended, and again when what they say together changes.

Only the newest such input is worth having: it takes the place of one that nothing has read yet, and once another
commit is published, what was said of the one before is forgotten.
"""

from __future__ import annotations

from dataclasses import replace

from bot.clock import MINUTE, Millis
from bot.domain.brake import Brakes
from bot.domain.checks import Ended
from bot.domain.event import Event
from bot.domain.wait import CHECKS, PASSED
from bot.domain.work import Work, WorkState
from bot.ids import EventId, HoldId, WorkId
from bot.scheduler.brakes import green_head, red_head
from bot.scheduler.router import add_input
from bot.storage.contract import Tx

PATIENCE = 10 * MINUTE
"""Milliseconds after which checks of a commit should have appeared."""


def checks_ended(
    tx: Tx, work: Work, event: Event, ended: Ended, *, brakes: Brakes, hold: HoldId, placed: EventId, now: Millis
) -> bool:
    """
    Tell a Work that the checks of its commit have ended. Returns whether that was news.

    ``hold`` and ``placed`` are the identities of a brake's hold and of the event that records it, should so many
    failing commits in a row trip it.
    """
    work = tx.works.get(work.id)
    if work.state.final or work.marks.checked == ended.mark:
        return False
    work = tx.works.save(replace(work, marks=replace(work.marks, checked=ended.mark, unchecked="")), now)
    _forget(tx, work.id)
    if work.pull_request is None:
        # It only looks at the change: the commits are not its own.
        pass
    elif ended.red:
        work = red_head(tx, work, ended.head, brakes=brakes, hold=hold, event=placed, now=now)
    else:
        work = green_head(tx, work, now)
    add_input(tx, work, event, kind=CHECKS if ended.red else PASSED, author="", body=ended.body, now=now)
    return True


def checks_missing(tx: Tx, work: Work, head: str, now: Millis) -> bool:
    """
    Note that a Work waits for checks alone and that its commit has none, if it has waited long enough (ag-C12).

    Returns whether that was news. Nothing follows from it but that people are told: they may still come.
    """
    work = tx.works.get(work.id)
    alone = work.state is WorkState.WAITING and set(work.waits) == {CHECKS}
    if not alone or work.marks.unchecked == head or now - work.updated_at < PATIENCE:
        return False
    tx.works.save(replace(work, marks=replace(work.marks, unchecked=head)), now)
    return True


def head_published(tx: Tx, work: Work, head: str, now: Millis) -> Work:
    """Forget what the checks of an earlier commit said, unless an attempt has read it. Returns the Work as it is."""
    if not work.marks.checked.startswith(f"{head}/"):
        _forget(tx, work.id)
    if work.marks.unchecked in {"", head}:
        return work
    return tx.works.save(replace(work, marks=replace(work.marks, unchecked="")), now)


def _forget(tx: Tx, work: WorkId) -> None:
    for kind in (CHECKS, PASSED):
        tx.inputs.discard(work, kind)
