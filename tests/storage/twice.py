"""Proves that changes can be run again: each is run, rolled back, and run once more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
TxT = TypeVar("TxT")
TxT_co = TypeVar("TxT_co", covariant=True)


class Writable(Protocol[TxT_co]):
    async def write(self, change: Callable[[TxT_co], T], /) -> T: ...

    async def read(self, query: Callable[[TxT_co], T], /) -> T: ...

    async def close(self) -> None: ...


class _UndoError(Exception):
    """Ends a rehearsal, so that the store undoes it."""


class Twice(Generic[TxT]):
    """
    A store before a store, whose every change is rehearsed first.

    A change that keeps something outside its transaction, or makes up an identity itself, gives another
    value the second time and fails here. ``same=False`` leaves that comparison out, for tests in which
    other writers come between the two runs.
    """

    def __init__(self, store: Writable[TxT], *, same: bool = True) -> None:
        self._store = store
        self._same = same

    async def write(self, change: Callable[[TxT], T], /) -> T:
        rehearsed: list[T] = []

        def rehearse(tx: TxT) -> None:
            rehearsed[:] = [change(tx)]
            raise _UndoError

        # Whatever else the rehearsal raises, the second run raises too, or the values below differ.
        with suppress(Exception):
            await self._store.write(rehearse)
        value = await self._store.write(change)
        if self._same:
            assert rehearsed == [value], f"run again, the change gave {value!r} instead of {rehearsed!r}"
        return value

    async def read(self, query: Callable[[TxT], T], /) -> T:
        return await self._store.read(query)

    async def close(self) -> None:
        await self._store.close()
