"""What is stored, read at once: the rows that invariants are about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from bot.domain.segment import Segments
from bot.storage.contract import Tx
from bot.storage.sql import Row
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


def take(tx: Tx) -> Snapshot:
    """Read the state that a transaction sees."""
    ask = tx.works.sql.all
    return Snapshot(
        works=_by("id", ask("simulation_works")),
        executions=_by("id", ask("simulation_executions")),
        holds=_by("id", ask("simulation_holds")),
        decisions=_by("source", ask("simulation_decisions")),
        inputs=ask("simulation_inputs"),
        consumed=ask("simulation_consumed"),
        retries=_by("natural_key", ask("simulation_retries")),
        ledgers=_by("key", ask("simulation_ledgers")),
        reservations=ask("simulation_reservations"),
        staged=ask("simulation_staged"),
        raises=ask("simulation_raises"),
        accounts=_by("name", ask("simulation_accounts")),
        unrouted=frozenset(row["work"] for row in ask("simulation_unrouted")),
        parents={row["id"]: row["parent"] for row in ask("simulation_parents")},
    )


def document(text: str) -> Any:
    """Read a stored JSON document."""
    return json.loads(text)


@lru_cache(maxsize=512)
def segments(text: str) -> Segments:
    """Read stored segments."""
    return Segments.from_document(json.loads(text))


def _by(key: str, rows: Sequence[Row]) -> Rows:
    return {row[key]: row for row in rows}
