"""Holds, the decisions of people on them, and timers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.hold import Hold, HoldKind, HoldState
from bot.domain.timer import Timer, TimerKind
from bot.ids import EventId, HoldId, TimerId, WorkId
from bot.storage.rows import dump, load, load_mapping, readable
from bot.storage.sql import Row, Sql


def _hold(row: Row) -> Hold:
    return Hold(
        id=HoldId(row["id"]),
        work=WorkId(row["work"]),
        kind=HoldKind(row["kind"]),
        holder=row["holder"],
        reason=row["reason"],
        revision=row["revision"],
        details=load_mapping(row["details"]),
        state=HoldState(row["state"]),
        placed_at=Millis(row["placed_at"]),
        settled_at=None if row["settled_at"] is None else Millis(row["settled_at"]),
        settled_by=row["settled_by"],
        settled_reason=row["settled_reason"],
    )


@dataclass(frozen=True)
class Holds:
    """Holds. At most one is open for each (Work, kind, holder)."""

    sql: Sql

    def place(self, hold: Hold) -> None:
        """Store an open hold. Raises ``UniqueViolation`` when this holder holds the Work already."""
        self.sql.run(
            "hold_insert",
            id=hold.id,
            work=hold.work,
            kind=hold.kind.value,
            holder=hold.holder,
            reason=hold.reason,
            revision=hold.revision,
            details=dump(dict(hold.details)),
            state=hold.state.value,
            placed_at=hold.placed_at,
        )

    def settle(self, hold: HoldId, state: HoldState, *, by: str, reason: str, now: Millis) -> bool:
        """End an open hold. Returns whether it was open."""
        return self.sql.run("hold_settle", id=hold, state=state.value, by=by, reason=reason, now=now) == 1

    def get(self, hold: HoldId) -> Hold | None:
        """Return a hold."""
        row = self.sql.one("hold_by_id", id=hold)
        return None if row is None else _hold(row)

    def open(self, work: WorkId) -> Sequence[Hold]:
        """Return the open holds of a Work, oldest first."""
        return [_hold(row) for row in self.sql.all("holds_open", work=work)]

    def open_of_kind(self, kind: HoldKind) -> Sequence[Hold]:
        """Return the open holds of a kind, of all Work; one that nobody can read hides no other."""

        def page(last: Row | None) -> Sequence[Row]:
            return [] if last else self.sql.all("holds_open_of_kind", kind=kind.value)

        return readable(_hold, page, sys.maxsize)

    def of_work(self, work: WorkId) -> Sequence[Hold]:
        """Return all holds of a Work, oldest first."""
        return [_hold(row) for row in self.sql.all("holds_of_work", work=work)]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """
    What a person decided on a hold; never changed.

    ``source`` is the natural key of the comment or review that said it; ``permission`` is the level that the
    person had at that moment, and ``teams`` those of the hold's teams that they were in. ``revokes`` is the source of
    the vote that a row takes back.
    """

    source: str
    hold: HoldId
    person: int
    login: str
    verb: str
    reason: str
    revision: str
    permission: int
    teams: tuple[str, ...] = ()
    revokes: str | None = None
    decided_at: Millis


def _decision(row: Row) -> Decision:
    return Decision(
        source=row["source"],
        hold=HoldId(row["hold"]),
        person=row["person"],
        login=row["login"],
        verb=row["verb"],
        reason=row["reason"],
        revision=row["revision"],
        permission=row["permission"],
        teams=tuple(load(row["teams"])),
        revokes=row["revokes"],
        decided_at=Millis(row["decided_at"]),
    )


@dataclass(frozen=True)
class Decisions:
    """Decisions of people. Rows are only ever added."""

    sql: Sql

    def add(self, decision: Decision) -> bool:
        """Record a decision. Returns False when its source was recorded before."""
        if self.sql.one("decision_by_source", source=decision.source) is not None:
            return False
        self.sql.run(
            "decision_insert",
            source=decision.source,
            hold=decision.hold,
            person=decision.person,
            login=decision.login,
            verb=decision.verb,
            reason=decision.reason,
            revision=decision.revision,
            permission=decision.permission,
            teams=dump(list(decision.teams)),
            revokes=decision.revokes,
            decided_at=decision.decided_at,
        )
        return True

    def by_source(self, source: str) -> Decision | None:
        """Return the decision that a comment or review made."""
        row = self.sql.one("decision_by_source", source=source)
        return None if row is None else _decision(row)

    def of_hold(self, hold: HoldId) -> Sequence[Decision]:
        """Return the decisions on a hold, oldest first."""
        return [_decision(row) for row in self.sql.all("decisions_of_hold", hold=hold)]


def _timer(row: Row) -> Timer:
    return Timer(
        id=TimerId(row["id"]),
        work=WorkId(row["work"]),
        kind=TimerKind(row["kind"]),
        due_at=Millis(row["due_at"]),
        generation=row["generation"],
        cause=EventId(row["cause"]),
    )


@dataclass(frozen=True)
class Timers:
    """Armed timers. A Work has at most one of each kind."""

    sql: Sql

    def arm(self, timer: Timer) -> None:
        """Arm a timer, in place of an earlier one of its kind."""
        self.sql.run(
            "timer_put",
            id=timer.id,
            work=timer.work,
            kind=timer.kind.value,
            due_at=timer.due_at,
            generation=timer.generation,
            cause=timer.cause,
        )

    def of_work(self, work: WorkId, kind: TimerKind) -> Timer | None:
        """Return the armed timer of a Work."""
        row = self.sql.one("timer_of_work", work=work, kind=kind.value)
        return None if row is None else _timer(row)

    def due(self, now: Millis, *, after: Timer | None = None, limit: int = 100) -> Sequence[Timer]:
        """Return timers that are due, the earliest first; ``after`` is the last one of the page before."""

        def page(row: Row | None) -> Sequence[Row]:
            due_at, identity = (-1, "") if after is None else (after.due_at, after.id)
            start = {"due_at": due_at, "id": identity} if row is None else {"due_at": row["due_at"], "id": row["id"]}
            return self.sql.all("timers_due", now=now, limit=limit, **start)

        return readable(_timer, page, limit)

    def next_due(self) -> Millis | None:
        """Return when the earliest timer is due."""
        row = self.sql.one("timer_next")
        return None if row is None or row["due_at"] is None else Millis(row["due_at"])

    def remove(self, timer: TimerId) -> bool:
        """Remove a timer. Returns whether it was armed."""
        return self.sql.run("timer_remove", id=timer) == 1

    def remove_all(self, work: WorkId) -> None:
        """Remove every timer of a Work."""
        self.sql.run("timers_of_work_remove", work=work)
