"""Answers queries, each from one snapshot of the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from bot.errors import StorageError
from bot.storage.link import Link
from bot.storage.runner import Call, Done, Failed
from bot.storage.sql import Sql

TxT = TypeVar("TxT")


class Reader(Generic[TxT]):
    """
    A connection that only reads. It never waits for the writer, nor the writer for it.

    The transaction around a query makes its statements see one state of the database; it is always rolled
    back, since there is nothing to keep.
    """

    def __init__(self, link: Link, bind: Callable[[Sql], TxT]) -> None:
        self._link = link
        self._bind = bind

    def serve(self, calls: Sequence[Call[TxT]]) -> None:
        """Run each query in a snapshot of its own."""
        for call in calls:
            if call.begins():
                call.settle(self._answer(call))

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _answer(self, call: Call[TxT]) -> Done | Failed:
        try:
            self._link.begin("control_begin_read")
        except StorageError as fault:
            return Failed(error=fault)
        session = self._link.session()
        try:
            return call.run(self._bind(session))
        finally:
            session.end()
            self._link.leave()
