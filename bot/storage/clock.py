"""The clock of the database, by which hosts that share it can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from bot.clock import Millis
from bot.storage.sql import Sql


@dataclass(frozen=True)
class DatabaseClock:
    """Tells the time where the database runs. No decision is made by it."""

    sql: Sql

    def now(self) -> Millis:
        """Return the current moment there, also within a transaction that began earlier."""
        row = self.sql.one("clock_now")
        assert row is not None  # noqa: S101 - the statement returns one row
        return Millis(row["now"])
