"""How often Work started: the order in which repositories were served, and the count of each repository and day."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import DAY, Millis
from bot.ids import ScopeId
from bot.storage.sql import Sql


@dataclass(frozen=True)
class Starts:
    """Starts, counted in the transaction of each claim. Days are those of UTC."""

    sql: Sql

    def serve(self, scope: ScopeId) -> None:
        """Record that a scope was served last: the one that waits longest goes first (ag-L02)."""
        row = self.sql.one("start_next")
        assert row is not None  # noqa: S101 - the counter is part of the schema
        self.sql.run("scope_served", id=scope, served=row["value"])

    def on_day_of(self, scope: ScopeId, now: Millis) -> int:
        """Return how many starts a scope has had on the day of ``now``."""
        row = self.sql.one("starts_on_day", key=_key(scope, now))
        return 0 if row is None else int(row["used"])

    def add(self, scope: ScopeId, now: Millis, count: int = 1) -> None:
        """Count a start on the day of ``now``; a negative ``count`` takes one back."""
        self.sql.run("starts_add", key=_key(scope, now), count=count, now=now)


def _key(scope: ScopeId, now: Millis) -> str:
    return f"starts/{scope}/{now // DAY}"
