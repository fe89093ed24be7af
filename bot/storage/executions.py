"""
Attempts and their leases.

Every write that a holder makes goes through ``write`` or ``renew`` and carries the fence: it is refused with
``StaleEpochError`` when another epoch holds the attempt, the lease has lapsed, or the attempt has ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.execution import Binding, Execution, Fence, Phase
from bot.domain.kind import Capability, Fallback, Lifecycle
from bot.domain.result import Outcome, Result
from bot.domain.retry import RetryPolicy
from bot.domain.segment import Segments
from bot.domain.turn import Turn
from bot.errors import StaleEpochError, StorageError
from bot.ids import EventId, ExecutionId, ScopeId, WorkId
from bot.storage.rows import dump, load_mapping, readable
from bot.storage.sql import Row, Sql, Value


def _binding_document(binding: Binding) -> Mapping[str, object]:
    return {
        "version": 1,
        "executor": binding.executor,
        "pool": binding.pool,
        "config": dict(binding.config),
        "timeout": binding.timeout,
        "retry": list(binding.retry.delays),
        "generation": binding.generation,
        "playbook": dict(binding.playbook),
        "lifecycle": binding.lifecycle.value,
        "terminal": binding.terminal,
        "continues": binding.continues,
        "capabilities": sorted(each.value for each in binding.capabilities),
        "fallback": binding.fallback.value,
        "account": binding.account,
        "credentials": binding.credentials,
        "estimate": dict(binding.estimate),
        "grants": list(binding.grants),
    }


def _binding(text: str) -> Binding:
    document = load_mapping(text)
    if document["version"] != 1:
        raise StorageError("a binding of an unknown version")
    return Binding(
        executor=document["executor"],
        pool=document["pool"],
        config=document["config"],
        timeout=document["timeout"],
        retry=RetryPolicy(delays=tuple(document["retry"])),
        generation=document["generation"],
        playbook=document["playbook"],
        lifecycle=Lifecycle(document.get("lifecycle", Lifecycle.PLAIN.value)),
        terminal=document.get("terminal", False),
        continues=document.get("continues", False),
        capabilities=frozenset(map(Capability, document.get("capabilities", ()))),
        fallback=Fallback(document.get("fallback", Fallback.QUEUE.value)),
        account=document.get("account"),
        credentials=document.get("credentials", ""),
        estimate=document.get("estimate", {}),
        grants=tuple(document.get("grants", ())),
    )


def _turn(text: str | None) -> Turn | None:
    if text is None:
        return None
    return Turn.from_document(load_mapping(text))


def _execution(row: Row) -> Execution:
    return Execution(
        id=ExecutionId(row["id"]),
        work=WorkId(row["work"]),
        scope=ScopeId(row["scope"]),
        number=row["number"],
        epoch=row["epoch"],
        owner=row["owner"],
        lease_until=Millis(row["lease_until"]),
        phase=Phase(row["phase"]),
        slot=bool(row["slot"]),
        trigger=EventId(row["trigger"]),
        binding=_binding(row["binding"]),
        segments=Segments.from_document(load_mapping(row["segments"])),
        deadline=Millis(row["deadline"]),
        started_at=Millis(row["started_at"]),
        ended_at=None if row["ended_at"] is None else Millis(row["ended_at"]),
        recovery=None if row["recovery"] is None else load_mapping(row["recovery"]),
        declared=_turn(row["declared"]),
        result=None if row["result"] is None else Result.from_document(load_mapping(row["result"])),
        outcome=None if row["outcome"] is None else Outcome(row["outcome"]),
        status=row["status"],
        summary=row["summary"],
        token=row["token"],
        publish_tries=row["publish_tries"],
        next_at=Millis(row["next_at"]),
        remaining=row["remaining"],
        suspended=None if row["suspended"] is None else load_mapping(row["suspended"]),
        staged=load_mapping(row["staged"]),
    )


def _changing(execution: Execution) -> dict[str, Value]:
    declared = execution.declared
    return {
        "id": execution.id,
        "epoch": execution.epoch,
        "phase": execution.phase.value,
        "slot": int(execution.slot),
        "segments": dump(execution.segments.to_document()),
        "ended_at": execution.ended_at,
        "recovery": None if execution.recovery is None else dump(dict(execution.recovery)),
        "declared": None if declared is None else dump(declared.to_document()),
        "result": None if execution.result is None else dump(execution.result.to_document()),
        "outcome": None if execution.outcome is None else execution.outcome.value,
        "status": execution.status,
        "summary": execution.summary,
        "token": execution.token,
        "publish_tries": execution.publish_tries,
        "next_at": execution.next_at,
        "staged": dump(dict(execution.staged)),
    }


@dataclass(frozen=True)
class Executions:
    """Attempts, by their fence."""

    sql: Sql

    def get(self, execution: ExecutionId) -> Execution:
        """Return an attempt. Raises ``StorageError`` when there is none."""
        row = self.sql.one("execution_by_id", id=execution)
        if row is None:
            raise StorageError(f"there is no attempt {execution}")
        return _execution(row)

    def by_token(self, digest: str) -> Execution | None:
        """Return the unfinished attempt whose launch was given the token with this digest."""
        row = self.sql.one("execution_by_token", token=digest)
        return None if row is None else _execution(row)

    def live_of(self, work: WorkId) -> Execution | None:
        """Return the unfinished attempt of a Work."""
        row = self.sql.one("execution_live_of_work", work=work)
        return None if row is None else _execution(row)

    def of_work(self, work: WorkId) -> Sequence[Execution]:
        """Return all attempts of a Work, oldest first."""
        return [_execution(row) for row in self.sql.all("executions_of_work", work=work)]

    def live(self) -> Sequence[Execution]:
        """Return all unfinished attempts, oldest first."""
        return [_execution(row) for row in self.sql.all("executions_live")]

    def lapsed(self, now: Millis, *, after: Execution | None = None, limit: int = 100) -> Sequence[Execution]:
        """
        Return unfinished attempts whose lease has lapsed and which are due: those that recovery may claim.

        ``after`` is the last one of the page before, here and below.
        """
        start = (-1, "") if after is None else (after.lease_until, after.id)
        return self._page("executions_lapsed", "lease_until", start, limit, now=now)

    def overdue(self, now: Millis, *, after: Execution | None = None, limit: int = 100) -> Sequence[Execution]:
        """Return attempts whose deadline is due and whose result is not stored, the earliest deadline first."""
        start = (-1, "") if after is None else (after.deadline, after.id)
        return self._page("executions_overdue", "deadline", start, limit, now=now)

    def launching(self, *, after: Execution | None = None, limit: int = 100) -> Sequence[Execution]:
        """Return attempts whose launch or adoption is under way, oldest first."""
        start = (-1, "") if after is None else (after.started_at, after.id)
        return self._page("executions_launching", "started_at", start, limit)

    def unconfirmed(self, *, after: Execution | None = None, limit: int = 100) -> Sequence[Execution]:
        """Return finished attempts of which something may be running still (C-75), the first that ended first."""
        start = (-1, "") if after is None else (after.ended_at or -1, after.id)
        return self._page("executions_unconfirmed", "ended_at", start, limit)

    def _page(
        self, statement: str, column: str, start: tuple[int, str], limit: int, **values: Value
    ) -> Sequence[Execution]:
        def page(row: Row | None) -> Sequence[Row]:
            at, identity = start if row is None else (row[column], row["id"])
            return self.sql.all(statement, **{column: at, "id": identity}, limit=limit, **values)

        return readable(_execution, page, limit)

    def stopping(self, work: WorkId) -> bool:
        """Whether an attempt of the Work, or of an earlier run on its item, is not known to have stopped (C-77)."""
        return self.sql.one("execution_unconfirmed_of_work", work=work) is not None

    def slots_of_pool(self, pool: str) -> int:
        """Return how many slots of a pool are taken."""
        return _count(self.sql.one("slots_of_pool", pool=pool))

    def slots_of_scope(self, scope: ScopeId) -> int:
        """Return how many slots are taken in a scope and all below it, over every pool (C-146)."""
        return _count(self.sql.one("slots_of_scope", scope=scope))

    def insert(self, execution: Execution) -> None:
        """Store a new attempt. Raises ``UniqueViolation`` when the Work has an unfinished one."""
        self.sql.run(
            "execution_insert",
            **_changing(execution),
            work=execution.work,
            scope=execution.scope,
            number=execution.number,
            owner=execution.owner,
            lease_until=execution.lease_until,
            pool=execution.binding.pool,
            generation=execution.binding.generation,
            trigger=execution.trigger,
            binding=dump(_binding_document(execution.binding)),
            deadline=execution.deadline,
            started_at=execution.started_at,
        )

    def write(self, execution: Execution, now: Millis) -> None:
        """Write what changed in an attempt, under its fence. Raises ``StaleEpochError``."""
        if self.sql.run("execution_write", **_changing(execution), now=now) != 1:
            raise StaleEpochError

    def park(self, execution: Execution, now: Millis) -> None:
        """
        Suspend an attempt, under its fence: nobody holds it from now on, and it uses no slot.

        Its ``segments``, ``remaining``, ``suspended`` and ``staged`` are written. Raises ``StaleEpochError``.
        """
        parked = self.sql.run(
            "execution_park",
            id=execution.id,
            epoch=execution.epoch,
            segments=dump(execution.segments.to_document()),
            remaining=execution.remaining,
            suspended=dump(dict(execution.suspended or {})),
            staged=dump(dict(execution.staged)),
            now=now,
        )
        if parked != 1:
            raise StaleEpochError

    def resume(self, execution: Execution, *, owner: str, lease_until: Millis) -> None:
        """
        Claim a parked attempt at the next epoch, with the segments and deadline given.

        Raises ``StaleEpochError`` when it is not parked at this epoch any more.
        """
        resumed = self.sql.run(
            "execution_resume",
            id=execution.id,
            epoch=execution.epoch,
            owner=owner,
            lease_until=lease_until,
            segments=dump(execution.segments.to_document()),
            deadline=execution.deadline,
        )
        if resumed != 1:
            raise StaleEpochError

    def renew(self, fence: Fence, *, now: Millis, lease: int) -> Millis:
        """
        Extend a lease to ``now + lease``, never shortening it (C-69), and return its end.

        Raises ``StaleEpochError``.
        """
        row = self.sql.one("execution_renew", id=fence.execution, epoch=fence.epoch, now=now, until=now + lease)
        if row is None:
            raise StaleEpochError
        return Millis(row["lease_until"])

    def release(self, fence: Fence, *, now: Millis, due: Millis) -> None:
        """Give a lease back, so that the same attempt can be recovered from ``due`` on (C-68)."""
        self.sql.run("execution_release", id=fence.execution, epoch=fence.epoch, now=now, due=due)

    def release_owner(self, owner: str, now: Millis) -> int:
        """Give back every lease of an owner that is known to be gone. Returns how many."""
        return self.sql.run("executions_release_owner", owner=owner, now=now)

    def take_over(self, execution: Execution, *, owner: str, lease_until: Millis, now: Millis) -> bool:
        """
        Claim a lapsed attempt at the next epoch, with the phase, segments and token given.

        Returns False when somebody else was faster or the lease is live.
        """
        return (
            self.sql.run(
                "execution_take_over",
                id=execution.id,
                epoch=execution.epoch,
                owner=owner,
                lease_until=lease_until,
                phase=execution.phase.value,
                segments=dump(execution.segments.to_document()),
                token=execution.token,
                now=now,
            )
            == 1
        )

    def end(self, execution: Execution, outcome: Outcome, summary: str, now: Millis) -> bool:
        """
        End an attempt whoever holds it: the one write without a fence, for the cancellation of its Work.

        ``execution.slot`` says whether its slot stays taken until its stop is confirmed. Returns whether it was
        unfinished.
        """
        return (
            self.sql.run(
                "execution_end",
                id=execution.id,
                slot=int(execution.slot),
                outcome=outcome.value,
                summary=summary,
                segments=dump(execution.segments.end(now).to_document()),
                staged=dump(dict(execution.staged)),
                now=now,
            )
            == 1
        )

    def free_slot(self, fence: Fence) -> bool:
        """Free the slot of a finished attempt, by its last epoch (C-79). Returns whether it was taken."""
        return self.sql.run("execution_free_slot", id=fence.execution, epoch=fence.epoch) == 1


def _count(row: Row | None) -> int:
    return 0 if row is None else int(row["taken"])
