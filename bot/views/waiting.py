"""What a Work that waits is waiting for, as people are told."""

from __future__ import annotations

from collections.abc import Iterator

from bot.clock import Millis
from bot.domain.timer import TimerKind
from bot.domain.work import Work, WorkState
from bot.storage.contract import Tx
from bot.views.thread import BlockerView

_GOES_ON = frozenset({WorkState.READY, WorkState.RUNNING, WorkState.WAITING})


def blockers(tx: Tx, work: Work) -> tuple[BlockerView, ...]:
    """Return the other items whose words a Work waits for."""
    return tuple(blocker for _, blocker in _awaited(tx, work) if blocker is not None)


def kinds(tx: Tx, work: Work) -> tuple[str, ...]:
    """Return what else wakes a Work: kinds of input, and keys that are no item's."""
    return (*work.waits, *(key for key, blocker in _awaited(tx, work) if blocker is None))


def until(tx: Tx, work: Work) -> Millis | None:
    """Return when the wait of a Work ends by itself."""
    timer = tx.timers.of_work(work.id, TimerKind.WAIT)
    return None if timer is None else timer.due_at


def _awaited(tx: Tx, work: Work) -> Iterator[tuple[str, BlockerView | None]]:
    for dependency in tx.subscriptions.of_work(work.id):
        item = tx.items.get(dependency.key)
        if item is None:
            yield dependency.key, None
            continue
        scope = None if item.scope == work.scope else tx.scopes.get(item.scope)
        yield (
            dependency.key,
            BlockerView(
                number=item.number,
                repository="" if scope is None else scope.name,
                needs_person=not any(_goes_on(tx, each) for each in tx.works.of_item(item.key)),
                words=dependency.statuses,
            ),
        )


def _goes_on(tx: Tx, work: Work) -> bool:
    """Whether a Work may still say something, without a person who has to look after it first."""
    return work.state in _GOES_ON and not tx.holds.open(work.id)
