"""
The contract of storage: transactions as plain functions.

``await store.write(change)`` runs a synchronous function with a ``Tx`` and answers after the commit that holds
it is durable. Nothing can be awaited inside, so no process, request or hook ever runs while a transaction is
open (C-17). A change may be run more than once before it is committed: identities and ``now`` are its
arguments, and it has no effect outside the ``Tx``. A refusal is a value; only faults raise.

``await store.read(query)`` runs a function on one snapshot and never waits for the writer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from bot.storage.events import Deliveries, Events
from bot.storage.executions import Executions
from bot.storage.holds import Decisions, Holds, Timers
from bot.storage.scopes import Cursors, Items, Scopes
from bot.storage.sql import Sql
from bot.storage.subscriptions import Subscriptions
from bot.storage.threads import Notes, Threads
from bot.storage.works import Inputs, Works

T = TypeVar("T")


class Tx:
    """One transaction: everything that is stored, by kind."""

    def __init__(self, sql: Sql) -> None:
        self.scopes = Scopes(sql)
        self.items = Items(sql)
        self.cursors = Cursors(sql)
        self.events = Events(sql)
        self.deliveries = Deliveries(sql)
        self.works = Works(sql)
        self.inputs = Inputs(sql)
        self.executions = Executions(sql)
        self.holds = Holds(sql)
        self.decisions = Decisions(sql)
        self.timers = Timers(sql)
        self.subscriptions = Subscriptions(sql)
        self.threads = Threads(sql)
        self.notes = Notes(sql)


class Store(Protocol):
    """A database."""

    async def write(self, change: Callable[[Tx], T], /) -> T:
        """
        Run a change and answer after it is durable.

        What the change raises is raised here, and nothing of it is written. Raises ``StorageError`` when the
        database cannot do it. When the caller is cancelled after the change had started, it finishes: the
        caller must assume either.
        """
        ...

    async def read(self, query: Callable[[Tx], T], /) -> T:
        """Run a query on one snapshot. Raises ``StorageError``."""
        ...

    async def close(self) -> None:
        """Finish what was accepted and close. Later calls raise ``StorageError``."""
        ...
