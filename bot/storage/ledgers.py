"""Ledgers: what was used, what is reserved, what is on its way to be charged, and by how much people raised a cap."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.budget import unit_of
from bot.ids import ExecutionId, WorkId
from bot.storage.rows import dump, load_mapping, readable
from bot.storage.sql import Row, Sql


@dataclass(frozen=True, kw_only=True)
class Staged:
    """
    What a stretch of an attempt used, by unit, on its way to the ledgers (C-170).

    ``id`` names the stretch, so that it is charged once. ``claimed_at`` is when the stretch was claimed: it belongs to
    the windows of that moment.
    """

    id: str
    execution: ExecutionId
    work: WorkId
    claimed_at: Millis
    units: Mapping[str, float]
    staged_at: Millis


@dataclass(frozen=True, kw_only=True)
class Raise:
    """A person's raise of the cap of an item's runs of one playbook, in millionths; ``source`` is what said it."""

    source: str
    item: str
    playbook: str
    unit: str
    amount: int
    login: str
    raised_at: Millis


@dataclass(frozen=True)
class Ledgers:
    """Ledgers by their key. All amounts are whole millionths; nothing is ever guessed where nothing can be read."""

    sql: Sql

    def open(self, key: str, since: Millis) -> None:
        """Let a ledger count from ``since`` on, unless it counts already (C-171)."""
        self.sql.run("ledger_open", key=key, since=since)

    def used(self, key: str) -> int:
        """Return what a ledger has counted; 0 for one that was never opened."""
        row = self.sql.one("ledger_by_key", key=key)
        return 0 if row is None else int(row["used"])

    def charge(self, key: str, amount: int, *, claimed_at: Millis) -> bool:
        """
        Add what a claim at ``claimed_at`` used, never below nothing; a negative amount is given back.

        Returns False, and counts nothing, when the ledger did not count yet at that time.
        """
        return self.sql.run("ledger_charge", key=key, amount=amount, claimed_at=claimed_at) == 1

    def reserve(self, execution: ExecutionId, key: str, amount: int) -> None:
        """Reserve an amount in an open ledger for an attempt."""
        self.sql.run("reservation_put", execution=execution, ledger=key, amount=amount)

    def reserved(self, key: str) -> int:
        """Return what is reserved in a ledger, by all attempts together."""
        row = self.sql.one("reserved_in_ledger", ledger=key)
        return 0 if row is None else int(row["amount"])

    def reservations(self, execution: ExecutionId) -> Mapping[str, int]:
        """Return what an attempt has reserved, by unit."""
        rows = self.sql.all("reservations_of_execution", execution=execution)
        return {unit_of(row["ledger"]): int(row["amount"]) for row in rows}

    def release(self, execution: ExecutionId) -> None:
        """Give back what an attempt has reserved."""
        self.sql.run("reservations_release", execution=execution)

    def stage(self, staged: Staged) -> bool:
        """Store what a stretch used. Returns False when that of this stretch is stored already."""
        inserted = self.sql.run(
            "staged_usage_insert",
            id=staged.id,
            execution=staged.execution,
            claimed_at=staged.claimed_at,
            units=dump(dict(staged.units)),
            staged_at=staged.staged_at,
        )
        return inserted == 1

    def staged(self) -> Sequence[Staged]:
        """Return what is not charged yet, oldest first. What nobody can read stays staged, and reserved."""
        return readable(_staged, lambda last: [] if last else self.sql.all("staged_usage_all"), sys.maxsize)

    def settled(self, staged: Staged) -> None:
        """Forget what was charged."""
        self.sql.run("staged_usage_remove", id=staged.id)

    def add_raise(self, entry: Raise) -> bool:
        """Record a raise. Returns False when its source was recorded before."""
        inserted = self.sql.run(
            "raise_insert",
            source=entry.source,
            item=entry.item,
            playbook=entry.playbook,
            unit=entry.unit,
            amount=entry.amount,
            login=entry.login,
            raised_at=entry.raised_at,
        )
        return inserted == 1

    def raised(self, item: str, playbook: str, unit: str) -> int:
        """Return by how much people raised the cap of an item's runs of a playbook."""
        row = self.sql.one("raised", item=item, playbook=playbook, unit=unit)
        return 0 if row is None else int(row["amount"])


def _staged(row: Row) -> Staged:
    return Staged(
        id=row["id"],
        execution=ExecutionId(row["execution"]),
        work=WorkId(row["work"]),
        claimed_at=Millis(row["claimed_at"]),
        units=load_mapping(row["units"]),
        staged_at=Millis(row["staged_at"]),
    )
