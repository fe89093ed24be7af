"""What is stored, read at once: the rows that invariants are about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from bot.domain.segment import Segments
from bot.storage.contract import Tx
from bot.storage.sql import Row, Sql
from bot.storage.statements import Layer

LAYER = Layer(package="tests.simulation", directory="sql")
FINAL = frozenset({"completed", "cancelled", "failed"})

Rows = Mapping[str, Row]


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """
    One state of the store. Rows are by their id.

    ``unrouted`` are the Works of which an accepted event is not routed yet. ``parents`` maps each scope to the one
    above it.
    """

    works: Rows = field(default_factory=dict)
    executions: Rows = field(default_factory=dict)
    holds: Rows = field(default_factory=dict)
    decisions: Rows = field(default_factory=dict)
    inputs: Sequence[Row] = ()
    consumed: Sequence[Row] = ()
    retries: Rows = field(default_factory=dict)
    ledgers: Rows = field(default_factory=dict)
    reservations: Sequence[Row] = ()
    staged: Sequence[Row] = ()
    raises: Sequence[Row] = ()
    accounts: Rows = field(default_factory=dict)
    unrouted: frozenset[str] = frozenset()
    parents: Mapping[str, str | None] = field(default_factory=dict)

    @cached_property
    def live(self) -> list[Row]:
        """Attempts that are not finished."""
        return [row for row in self.executions.values() if row["phase"] != "finished"]

    def attempts_of(self, work: str) -> list[Row]:
        """Return the attempts of a Work."""
        return [row for row in self.executions.values() if row["work"] == work]

    def holds_of(self, work: str) -> list[Row]:
        """Return the holds of a Work."""
        return [row for row in self.holds.values() if row["work"] == work]


def started(before: Snapshot, after: Snapshot) -> Iterator[Row]:
    """Yield the attempts that a claim has begun, or resumed, between two states."""
    for identity, row in after.executions.items():
        earlier = before.executions.get(identity)
        if earlier is None or (earlier["phase"] == "parked" and row["phase"] == "launching"):
            yield row


def take(tx: Tx, before: Snapshot) -> Snapshot:
    """Read the state that a transaction sees; what it has not written is taken over from the state before it."""
    tables = tx.works.sql.tables  # type: ignore[attr-defined] # the statements are watched in a simulation
    fresh = {name: read(tx.works.sql) for name, (read, sources) in _PARTS.items() if not sources.isdisjoint(tables)}
    return replace(before, **fresh) if fresh else before


def _rows(statement: str) -> Callable[[Sql], Sequence[Row]]:
    return lambda sql: sql.all(statement)


def _by(key: str, statement: str) -> Callable[[Sql], Rows]:
    return lambda sql: {row[key]: row for row in sql.all(statement)}


def _unrouted(sql: Sql) -> frozenset[str]:
    return frozenset(row["work"] for row in sql.all("simulation_unrouted"))


def _parents(sql: Sql) -> Mapping[str, str | None]:
    return {row["id"]: row["parent"] for row in sql.all("simulation_parents")}


_PARTS: Mapping[str, tuple[Callable[[Sql], Any], frozenset[str]]] = {
    "works": (_by("id", "simulation_works"), frozenset({"works"})),
    "executions": (_by("id", "simulation_executions"), frozenset({"executions"})),
    "holds": (_by("id", "simulation_holds"), frozenset({"holds"})),
    "decisions": (_by("source", "simulation_decisions"), frozenset({"decisions"})),
    "inputs": (_rows("simulation_inputs"), frozenset({"inputs"})),
    "consumed": (_rows("simulation_consumed"), frozenset({"consumed", "executions"})),
    "retries": (_by("natural_key", "simulation_retries"), frozenset({"events"})),
    "ledgers": (_by("key", "simulation_ledgers"), frozenset({"ledgers"})),
    "reservations": (_rows("simulation_reservations"), frozenset({"reservations"})),
    "staged": (_rows("simulation_staged"), frozenset({"staged_usage"})),
    "raises": (_rows("simulation_raises"), frozenset({"raises"})),
    "accounts": (_by("name", "simulation_accounts"), frozenset({"accounts"})),
    "unrouted": (_unrouted, frozenset({"events", "event_keys", "work_keys"})),
    "parents": (_parents, frozenset({"scopes"})),
}
"""How each part of a state is read, and which tables it is read from."""


def document(text: str) -> Any:
    """Read a stored JSON document."""
    return json.loads(text)


@lru_cache(maxsize=512)
def segments(text: str) -> Segments:
    """Read stored segments."""
    return Segments.from_document(json.loads(text))
