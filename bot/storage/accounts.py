"""Accounts of providers that are paused, or were lately."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.account import Pause
from bot.storage.sql import Row, Sql


def _pause(row: Row) -> Pause:
    return Pause(
        account=row["name"],
        until=None if row["until"] is None else Millis(row["until"]),
        reason=row["reason"],
        credentials=row["credentials"],
        paused_at=Millis(row["paused_at"]),
        released_at=None if row["released_at"] is None else Millis(row["released_at"]),
        probed_at=None if row["probed_at"] is None else Millis(row["probed_at"]),
    )


@dataclass(frozen=True)
class Accounts:
    """One row for each account that is paused or was not proven usable since; none means that nothing is known."""

    sql: Sql

    def get(self, account: str) -> Pause | None:
        """Return the pause of an account."""
        row = self.sql.one("account_by_name", name=account)
        return None if row is None else _pause(row)

    def all(self) -> Sequence[Pause]:
        """Return every pause, by the account's name."""
        return [_pause(row) for row in self.sql.all("accounts")]

    def put(self, pause: Pause) -> None:
        """Store the pause of an account, in place of an earlier one."""
        self.sql.run(
            "account_put",
            name=pause.account,
            until=pause.until,
            reason=pause.reason,
            credentials=pause.credentials,
            paused_at=pause.paused_at,
            released_at=pause.released_at,
            probed_at=pause.probed_at,
        )

    def remove(self, account: str) -> None:
        """Forget the pause of an account."""
        self.sql.run("account_remove", name=account)
