"""The store as a host reaches it: a boundary around every transaction, and an audit inside of every change."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from bot.clock import Clock
from bot.storage.contract import Store, Tx
from bot.storage.sql import BusyError
from tests.simulation.audit import Audit
from tests.simulation.mortal import Harm, Life

T = TypeVar("T")

CHANGE = "a change"
"""The boundary before a transaction that writes."""


class _UndoError(Exception):
    """Ends a rehearsal, so that the store undoes it."""


@dataclass(frozen=True, kw_only=True)
class StoreDoor:
    """
    A ``Store``. With ``rehearses`` every change is run, undone, and run once more, as the real store may do.

    The audit sees each change before it is committed, and counts it only when it was.
    """

    store: Store
    life: Life
    clock: Clock
    audit: Audit
    rehearses: bool

    async def write(self, change: Callable[[Tx], T], /) -> T:
        await self.life.reach(CHANGE)
        if self.life.fate.strikes(CHANGE, Harm.BUSY) is not Harm.NONE:
            self.life.tell("busy", "finds the database busy")
            raise BusyError
        if self.rehearses:
            with suppress(Exception):
                await self.store.write(_undone(change))

        def audited(tx: Tx) -> T:
            value = change(tx)
            self.audit.look(tx, self.life.name, self.clock.now())
            return value

        value = await self.store.write(audited)
        self.audit.keep()
        await self.life.reach("the answer of a change")
        return value

    async def read(self, query: Callable[[Tx], T], /) -> T:
        await self.life.reach("a query")
        value = await self.store.read(query)
        await self.life.reach("the answer of a query")
        return value

    async def close(self) -> None:
        """Leave the store open: it outlives every host."""


@dataclass(frozen=True, kw_only=True)
class SharedStoreDoor(StoreDoor):
    """A store that several hosts know to share. It hastens nothing: what they do is found by polling."""

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once, and then never again."""
        yield


def _undone(change: Callable[[Tx], object]) -> Callable[[Tx], None]:
    def rehearse(tx: Tx) -> None:
        change(tx)
        raise _UndoError

    return rehearse
