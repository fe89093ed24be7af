"""
What runs use, on its way to the ledgers.

An end of a stretch *stages* what it used, in the transaction that ends it; the next claim, or a pass of the host,
*settles*: it swaps what is staged for what was reserved, and charges the ledgers, in one transaction (C-170).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.clock import Millis
from bot.domain.budget import MICRO, Budget, whole
from bot.domain.event import NewEvent, Routing
from bot.domain.execution import Execution
from bot.domain.result import Result
from bot.domain.segment import Invoke
from bot.ids import EventId
from bot.scheduler.bars import bars
from bot.scheduler.notices import notify
from bot.storage.contract import Tx
from bot.storage.ledgers import Staged

ATTEMPTS, TURNS = "attempts", "turns"
"""The units that the claim itself charges (C-165)."""


def reported(execution: Execution, result: Result | None) -> Mapping[str, float]:
    """
    Return what a stretch used, by unit, as far as anybody said.

    What its executor measured stands above what the run declared; a run without a result has declared perhaps.
    """
    turn = (None if result is None else result.turn) or execution.declared
    return {**({} if turn is None else turn.used), **({} if result is None else result.units)}


def stage(
    tx: Tx, execution: Execution, units: Mapping[str, float], now: Millis, *, deferred: bool = False
) -> Execution:
    """
    Stage what a stretch used, and return the attempt with it counted as staged, to be written by the caller.

    Only what the stored attempt has not staged yet is staged, and a stretch stages once: a stale copy charges nothing
    a second time (C-169). A unit that was reserved and that nobody reported is charged as reserved, with an event that
    says so, unless the executor was never called. A stretch that is ``deferred`` is charged what it reports alone, and
    gives back what its claim was charged.
    """
    stored = tx.executions.get(execution.id)
    total = {unit: execution.staged.get(unit, 0.0) + used for unit, used in units.items()}
    fresh = {unit: used - stored.staged.get(unit, 0.0) for unit, used in total.items()}
    reserved = tx.ledgers.reservations(execution.id)
    silent = {unit: held / MICRO for unit, held in reserved.items() if unit not in units}
    missing = {} if deferred or _never_called(execution) else silent
    amounts = {unit: used for unit, used in {**missing, **fresh}.items() if used > 0}
    claimed = claimed_at(execution)
    if deferred:
        amounts[TURNS] = -1.0
        if not _resumed(execution):
            amounts[ATTEMPTS] = -1.0
    if not amounts and not reserved:
        return execution
    staged = Staged(
        id=f"{execution.id}/{stored.epoch}",
        execution=execution.id,
        work=execution.work,
        claimed_at=claimed,
        units=amounts,
        staged_at=now,
    )
    if tx.ledgers.stage(staged) and missing:
        _record_estimate(tx, execution, missing, now)
    return replace(execution, staged={**execution.staged, **total})


def settle(tx: Tx, budgets: Sequence[Budget], now: Millis) -> bool:
    """
    Charge what is staged to the ledgers that counted when it was claimed, in place of what was reserved.

    Without budgets it is dropped (C-170). What belongs to a Work that nobody can read stays staged, and reserved.
    Returns whether anything was settled.
    """
    settled = False
    for staged in tx.ledgers.staged():
        work = tx.works.legible(staged.work)
        if work is None:
            continue
        settled = True
        tx.ledgers.release(staged.execution)
        tx.ledgers.settled(staged)
        counting = bars(tx, work, budgets, staged.claimed_at)
        for ledger, unit in {bar.ledger: bar.budget.unit for bar in counting}.items():
            amount = whole(staged.units.get(unit, 0.0))
            if amount:
                tx.ledgers.charge(ledger, amount, claimed_at=staged.claimed_at)
        for bar in bars(tx, work, budgets, staged.claimed_at):
            if bar.budget.unit in staged.units:
                notify(tx, work, bar, now)
        if counting:
            tx.threads.touch(work.item)
    return settled


def claimed_at(execution: Execution) -> Millis:
    """Return when the newest stretch was claimed; one that took over a lost lease goes on with the claim before it."""
    claims = (each.started_at for each in reversed(execution.segments.kept) if not each.recovered)
    return next(claims, execution.started_at)


def _resumed(execution: Execution) -> bool:
    """Whether the newest claim went on with an attempt that was parked: that made no new one."""
    claims = (each.wake is not None for each in reversed(execution.segments.kept) if not each.recovered)
    return next(claims, False)


def _never_called(execution: Execution) -> bool:
    """Whether nothing can have been used: its executor is known not to have been called."""
    last = execution.segments.kept[-1:]
    return execution.result is None and all(segment.invoke is Invoke.PENDING for segment in last)


def _record_estimate(tx: Tx, execution: Execution, units: Mapping[str, float], now: Millis) -> None:
    key = f"budget/{execution.id}/{execution.epoch}/estimated"
    tx.events.accept(
        NewEvent(
            id=EventId(key),
            source="core",
            type="core.budget.estimated",
            natural_key=key,
            keys=(f"work:{execution.work}",),
            scope=execution.scope,
            data={"work": execution.work, "execution": execution.id, "units": dict(units)},
        ),
        now,
        routing=Routing.ROUTED,
    )
