"""
Group commit: changes that wait together share one COMMIT, which is what a write costs.

Each change runs in a savepoint, so one that raises is undone alone. Callers are answered after COMMIT has
returned, never before. A few faults end the whole transaction (a full disk, ``RAISE(ROLLBACK)``), and a
COMMIT can be refused (a deferred foreign key): then nothing of the group happened, and each change is run
again in a transaction of its own, where only the one at fault fails. When the connection is gone, all of them
fail: nobody knows how old they are by now, and their callers decide anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from bot.errors import StorageError
from bot.storage.link import Link
from bot.storage.runner import Call, Done, Failed
from bot.storage.sql import Sql, UncertainError

TxT = TypeVar("TxT")


class _LostError(Exception):
    """The transaction is gone with everything in it; ``error`` is what a lone caller is told."""

    def __init__(self, error: StorageError) -> None:
        super().__init__(str(error))
        self.error = error


class Writer(Generic[TxT]):
    """The one connection of this process that writes."""

    def __init__(self, link: Link, bind: Callable[[Sql], TxT]) -> None:
        self._link = link
        self._bind = bind

    def serve(self, calls: Sequence[Call[TxT]]) -> None:
        """Run the changes together, or one by one when that failed, and answer when they are durable."""
        begun = [call for call in calls if call.begins()]
        if not begun or self._serve_together(begun):
            return
        for call in begun:
            self._serve_together([call])

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _serve_together(self, calls: Sequence[Call[TxT]]) -> bool:
        """Return whether the calls are settled; a group that was lost is not."""
        try:
            self._link.begin("control_begin_write")
        except StorageError as fault:
            return _all_fail(calls, fault)
        try:
            outcomes = self._run(calls)
        except _LostError as lost:
            cut = self._link.cut
            self._link.leave()
            if cut or isinstance(lost.error, UncertainError):
                return _all_fail(calls, lost.error)
            if len(calls) > 1:
                return False
            outcomes = [Failed(error=lost.error)]
        except BaseException:
            self._link.leave()
            raise
        for call, outcome in zip(calls, outcomes, strict=True):
            call.settle(outcome)
        return True

    def _run(self, calls: Sequence[Call[TxT]]) -> Sequence[Done | Failed]:
        outcomes = [self._change(call) for call in calls]
        try:
            self._link.commit()
        except StorageError as fault:
            raise _LostError(fault) from fault
        return outcomes

    def _change(self, call: Call[TxT]) -> Done | Failed:
        session = self._link.session()
        try:
            self._link.say("control_savepoint")
            outcome = call.run(self._bind(session))
            if not self._link.in_transaction:
                raise _LostError(_reason(outcome))
            if self._link.spoiled:
                outcome = Failed(error=_reason(outcome)) if isinstance(outcome, Done) else outcome
            if isinstance(outcome, Failed):
                self._link.say("control_savepoint_undo")
            self._link.say("control_savepoint_keep")
        except StorageError as fault:
            raise _LostError(fault) from fault
        finally:
            session.end()
        return outcome


def _all_fail(calls: Sequence[Call[TxT]], error: StorageError) -> bool:
    for call in calls:
        call.settle(Failed(error=error))
    return True


def _reason(outcome: Done | Failed) -> StorageError:
    if isinstance(outcome, Failed) and isinstance(outcome.error, StorageError):
        return outcome.error
    error = StorageError("the change lost its transaction; nothing was written")
    error.__cause__ = outcome.error if isinstance(outcome, Failed) else None
    return error
