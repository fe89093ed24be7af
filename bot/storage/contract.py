"""
The contract of storage: transactions as plain functions.

``await store.write(change)`` runs a synchronous function with a ``Tx`` and answers after the commit that holds
it is durable. Nothing can be awaited inside, so no process, request or hook ever runs while a transaction is
open (C-17). A change may be run more than once before it is committed: identities and ``now`` are its
arguments, and it has no effect outside the ``Tx``. A refusal is a value; only faults raise.

``await store.read(query)`` runs a function on one snapshot and never waits for the writer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Protocol, TypeVar, runtime_checkable

from bot.storage.accounts import Accounts
from bot.storage.checks import Checks
from bot.storage.clock import DatabaseClock
from bot.storage.controls import Controls
from bot.storage.events import Deliveries, Events
from bot.storage.executions import Executions
from bot.storage.generations import Generations
from bot.storage.holds import Decisions, Holds, Timers
from bot.storage.ledgers import Ledgers
from bot.storage.scopes import Cursors, Items, Scopes
from bot.storage.sql import Sql
from bot.storage.starts import Starts
from bot.storage.subscriptions import Subscriptions
from bot.storage.threads import Notes, Threads
from bot.storage.works import Inputs, Works

T = TypeVar("T")


class Tx:
    """One transaction: everything that is stored, by kind."""

    def __init__(self, sql: Sql) -> None:
        self.clock = DatabaseClock(sql)
        self.scopes = Scopes(sql)
        self.items = Items(sql)
        self.cursors = Cursors(sql)
        self.events = Events(sql)
        self.deliveries = Deliveries(sql)
        self.works = Works(sql)
        self.inputs = Inputs(sql)
        self.executions = Executions(sql)
        self.generations = Generations(sql)
        self.holds = Holds(sql)
        self.decisions = Decisions(sql)
        self.timers = Timers(sql)
        self.subscriptions = Subscriptions(sql)
        self.controls = Controls(sql)
        self.ledgers = Ledgers(sql)
        self.accounts = Accounts(sql)
        self.starts = Starts(sql)
        self.threads = Threads(sql)
        self.notes = Notes(sql)
        self.checks = Checks(sql)


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


@runtime_checkable
class Shared(Protocol):
    """What a store offers beyond its contract when several hosts may share its database."""

    def changes(self) -> AsyncGenerator[None, None]:
        """
        Yield when it listens, and then whenever another process has committed.

        It only hastens what polling would find. Raises ``StorageError`` when the database cannot be heard any more.
        """
        ...
