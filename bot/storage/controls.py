"""Intents to send something to a run, in the order in which they are due."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.control import Control, ControlKind, ControlState
from bot.errors import StorageError
from bot.ids import ControlId, ExecutionId, WorkId
from bot.storage.rows import readable
from bot.storage.sql import Row, Sql, Value


def _control(row: Row) -> Control:
    return Control(
        id=ControlId(row["id"]),
        work=WorkId(row["work"]),
        execution=ExecutionId(row["execution"]),
        epoch=row["epoch"],
        kind=ControlKind(row["kind"]),
        seq=row["seq"],
        state=ControlState(row["state"]),
        token=row["token"],
        lease_until=Millis(row["lease_until"]),
        tries=row["tries"],
        next_at=Millis(row["next_at"]),
        note=row["note"],
        created_at=Millis(row["created_at"]),
        settled_at=None if row["settled_at"] is None else Millis(row["settled_at"]),
    )


def _changing(control: Control) -> dict[str, Value]:
    return {
        "id": control.id,
        "state": control.state.value,
        "token": control.token,
        "lease_until": control.lease_until,
        "tries": control.tries,
        "next_at": control.next_at,
        "note": control.note,
        "settled_at": control.settled_at,
    }


@dataclass(frozen=True)
class Controls:
    """Controls. An attempt has at most one of a kind for an event."""

    sql: Sql

    def add(self, control: Control) -> bool:
        """Store an intent. Returns False when this attempt has one of its kind for its event."""
        added = self.sql.run(
            "control_insert",
            **_changing(control),
            work=control.work,
            execution=control.execution,
            epoch=control.epoch,
            kind=control.kind.value,
            seq=control.seq,
            created_at=control.created_at,
        )
        return added == 1

    def get(self, control: ControlId) -> Control:
        """Return an intent. Raises ``StorageError`` when there is none."""
        row = self.sql.one("control_by_id", id=control)
        if row is None:
            raise StorageError(f"there is no control {control}")
        return _control(row)

    def write(self, control: Control) -> None:
        """Write what changed in an intent."""
        self.sql.run("control_write", **_changing(control))

    def of_execution(self, execution: ExecutionId) -> Sequence[Control]:
        """Return every intent for an attempt, in the order of the events behind them."""

        def page(last: Row | None) -> Sequence[Row]:
            return [] if last else self.sql.all("controls_of_execution", execution=execution)

        return readable(_control, page, sys.maxsize)

    def due(self, now: Millis, *, after: Control | None = None, limit: int = 100) -> Sequence[Control]:
        """
        Return open intents that may be sent now: those that are due, and that nobody is sending.

        ``after`` is the last one of the page before: a page full of intents that must wait hides no other.
        """

        def page(row: Row | None) -> Sequence[Row]:
            next_at, identity = (-1, "") if after is None else (after.next_at, after.id)
            start = (
                {"next_at": next_at, "id": identity} if row is None else {"next_at": row["next_at"], "id": row["id"]}
            )
            return self.sql.all("controls_due", now=now, limit=limit, **start)

        return readable(_control, page, limit)

    def abandon(self, work: WorkId, now: Millis) -> int:
        """Settle every open intent of a Work as stale. Returns how many were open."""
        return self.sql.run("controls_stale", work=work, now=now)
