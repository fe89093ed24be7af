"""Work, its correlation keys and its input."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.clock import Millis
from bot.domain.brake import Marks
from bot.domain.event import Event
from bot.domain.work import BlockedReason, Instructions, Starter, Work, WorkState
from bot.errors import StorageError
from bot.ids import EventId, ExecutionId, ScopeId, WorkId
from bot.storage.rows import dump, load, load_mapping, readable
from bot.storage.sql import Row, Sql, Value


def _work(row: Row) -> Work:
    return Work(
        id=WorkId(row["id"]),
        scope=ScopeId(row["scope"]),
        kind=row["kind"],
        playbook=row["playbook"],
        item=row["item"],
        number=row["number"],
        run=row["run"],
        state=WorkState(row["state"]),
        status=row["status"],
        comment=row["comment"],
        waits=tuple(load(row["waits"])),
        starter=Starter(**load_mapping(row["starter"])),
        instructions=Instructions(**load_mapping(row["instructions"])),
        branch=row["branch"],
        pull_request=row["pull_request"],
        by_label=bool(row["by_label"]),
        attempts=row["attempts"],
        failures=row["failures"],
        gate_pass=row["gate_pass"],
        budget_pass=bool(row["budget_pass"]),
        priority=row["priority"],
        marks=Marks.from_document(load_mapping(row["brake"])),
        blocked=None if row["blocked"] is None else BlockedReason(row["blocked"]),
        reason=row["reason"],
        ended_by=row["ended_by"],
        usage=load_mapping(row["usage"]),
        failed_seq=row["failed_seq"],
        created_at=Millis(row["created_at"]),
        updated_at=Millis(row["updated_at"]),
        ended_at=None if row["ended_at"] is None else Millis(row["ended_at"]),
        gone=bool(row["gone"]),
        version=row["version"],
    )


def _changing(work: Work) -> dict[str, Value]:
    text = work.instructions
    return {
        "id": work.id,
        "state": work.state.value,
        "status": work.status,
        "comment": work.comment,
        "waits": dump(list(work.waits)),
        "starter": dump({"id": work.starter.id, "login": work.starter.login}),
        "instructions": dump(
            {
                "title": text.title,
                "body": text.body,
                "author": text.author,
                "revision": text.revision,
                "head": text.head,
                "patch": text.patch,
                "author_id": text.author_id,
            }
        ),
        "branch": work.branch,
        "pull_request": work.pull_request,
        "attempts": work.attempts,
        "failures": work.failures,
        "gate_pass": work.gate_pass,
        "budget_pass": int(work.budget_pass),
        "priority": work.priority,
        "brake": dump(work.marks.to_document()),
        "blocked": None if work.blocked is None else work.blocked.value,
        "reason": work.reason,
        "ended_by": work.ended_by,
        "usage": dump(dict(work.usage)),
        "failed_seq": work.failed_seq,
        "updated_at": work.updated_at,
        "ended_at": work.ended_at,
        "gone": int(work.gone),
        "version": work.version,
    }


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A Work that may be its turn. ``pool`` is that of its parked attempt, None when it has none."""

    id: WorkId
    scope: ScopeId
    playbook: str
    pool: str | None


@dataclass(frozen=True)
class Works:
    """Work. Every write makes its thread due for projection, so that no state can stay unshown."""

    sql: Sql

    def get(self, work: WorkId) -> Work:
        """Return a Work. Raises ``StorageError`` when there is none."""
        row = self.sql.one("work_by_id", id=work)
        if row is None:
            raise StorageError(f"there is no Work {work}")
        return _work(row)

    def find(self, work: WorkId) -> Work | None:
        """Return a Work, or None."""
        row = self.sql.one("work_by_id", id=work)
        return None if row is None else _work(row)

    def legible(self, work: WorkId) -> Work | None:
        """Return a Work, or None when there is none or nobody can read it, which must hide no other Work."""
        found = readable(_work, lambda last: [] if last else self.sql.all("work_by_id", id=work), sys.maxsize)
        return found[0] if found else None

    def live(self, item: str, playbook: str) -> Work | None:
        """Return the one live Work of this item and playbook."""
        row = self.sql.one("work_live", item=item, playbook=playbook)
        return None if row is None else _work(row)

    def latest(self, item: str, playbook: str) -> Work | None:
        """Return the newest run of this playbook on this item."""
        row = self.sql.one("work_latest_run", item=item, playbook=playbook)
        return None if row is None else _work(row)

    def of_item(self, item: str) -> Sequence[Work]:
        """Return all Work of an item, oldest first."""
        return [_work(row) for row in self.sql.all("works_of_item", item=item)]

    def live_by_key(self, key: str) -> Sequence[Work]:
        """Return the live Work that owns a correlation key, oldest first."""
        return [_work(row) for row in self.sql.all("works_live_by_key", key=key)]

    def all_live(self) -> Sequence[Work]:
        """Return all live Work, oldest first."""
        return readable(_work, lambda last: [] if last else self.sql.all("works_live"), sys.maxsize)

    def recent(self, limit: int = 100) -> Sequence[Work]:
        """Return the newest Work first."""
        return [_work(row) for row in self.sql.all("works_recent", limit=limit)]

    def ready(self, limit: int = 1_000_000) -> Sequence[Ready]:
        """
        Return Work with pending input that nothing durable holds back, in the order in which it goes.

        Higher priority goes first; then the repositories take turns, the one that was not served for the longest time
        before the others (ag-L02); then age. All of it is returned, since capacity is not asked here: a first page full
        of Work for a busy pool must not hide the Work of another one (C-150).
        """
        return [
            Ready(id=WorkId(row["id"]), scope=ScopeId(row["scope"]), playbook=row["playbook"], pool=row["pool"])
            for row in self.sql.all("works_ready", limit=limit)
        ]

    def insert(self, work: Work, keys: Sequence[str]) -> None:
        """
        Store a new Work with its correlation keys.

        Raises ``UniqueViolation`` when the item has a live Work of this playbook already.
        """
        self.sql.run(
            "work_insert",
            **_changing(work),
            scope=work.scope,
            kind=work.kind,
            playbook=work.playbook,
            item=work.item,
            number=work.number,
            run=work.run,
            by_label=int(work.by_label),
            created_at=work.created_at,
        )
        for key in keys:
            self.add_key(work.id, key)
        self._show(work)

    def save(self, work: Work, now: Millis) -> Work:
        """
        Write a changed Work and return it with its new version.

        Raises ``StorageError`` when it was changed since it was read.
        """
        changed = replace(work, updated_at=now)
        if self.sql.run("work_save", **_changing(changed)) != 1:
            raise StorageError(f"Work {work.id} was changed by someone else")
        self._show(work)
        return replace(changed, version=work.version + 1)

    def _show(self, work: Work) -> None:
        self.sql.run("thread_touch", item=work.item)
        self.sql.run("threads_touch_waiting", item=work.item)

    def add_key(self, work: WorkId, key: str) -> None:
        """Let events with this key find the Work."""
        self.sql.run("work_key_insert", key=key, work=work)

    def keys(self, work: WorkId) -> Sequence[str]:
        """Return the correlation keys of a Work."""
        return [row["key"] for row in self.sql.all("work_keys", work=work)]


@dataclass(frozen=True, kw_only=True)
class Input:
    """An event queued for a Work. ``author`` is a login, empty when nobody wrote it; ``body`` is what they wrote."""

    work: WorkId
    seq: int
    event: EventId
    kind: str
    author: str = ""
    body: str = ""


@dataclass(frozen=True)
class Inputs:
    """The queue of input of each Work, in the order of acceptance."""

    sql: Sql

    def add(self, work: WorkId, event: Event, *, kind: str, author: str = "", body: str = "") -> bool:
        """Queue an event for a Work. Returns False when it was queued before."""
        return self.sql.run("input_insert", work=work, seq=event.seq, kind=kind, author=author, body=body) == 1

    def pending(self, work: WorkId) -> Sequence[Input]:
        """Return input that no attempt has consumed, in the order of acceptance."""
        return [_input(row) for row in self.sql.all("inputs_pending", work=work)]

    def of_execution(self, work: WorkId, execution: ExecutionId) -> Sequence[Input]:
        """Return the input that an attempt consumed; kept as history."""
        return [_input(row) for row in self.sql.all("inputs_of_execution", work=work, execution=execution)]

    def presented(self, work: WorkId, execution: ExecutionId) -> Sequence[Input]:
        """Return the input with which an attempt was started, or resumed last."""
        return [_input(row) for row in self.sql.all("inputs_presented", work=work, execution=execution)]

    def consume(self, entry: Input, execution: ExecutionId, *, epoch: int = 0) -> None:
        """
        Give a pending input to an attempt, at the epoch that starts with it; 0 for what comes while the attempt runs.

        Raises ``StorageError`` when it is not pending any more.
        """
        if self.sql.run("inputs_consume", work=entry.work, seq=entry.seq, execution=execution) != 1:
            raise StorageError(f"input {entry.seq} of {entry.work} is not pending any more")
        self.sql.run("consumed_insert", execution=execution, seq=entry.seq, epoch=epoch)

    def restore(self, execution: ExecutionId) -> None:
        """Make the input of a failed attempt pending again; which attempts consumed it stays known."""
        self.sql.run("inputs_restore", execution=execution)

    def discard(self, work: WorkId, kind: str) -> None:
        """Forget the pending input of one kind, which newer input makes pointless; what was consumed stays history."""
        self.sql.run("inputs_keep_consumed_of_kind", work=work, kind=kind)
        self.sql.run("inputs_discard", work=work, kind=kind)

    def drop(self, work: WorkId) -> None:
        """Forget the pending input of a Work that has ended; what an attempt had consumed stays its history."""
        self.sql.run("inputs_keep_consumed", work=work)
        self.sql.run("inputs_drop", work=work)


def _input(row: Row) -> Input:
    return Input(
        work=WorkId(row["work"]),
        seq=row["seq"],
        event=EventId(row["event"]),
        kind=row["kind"],
        author=row["author"],
        body=row["body"],
    )
