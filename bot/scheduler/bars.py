"""Budgets as they stand for one Work: what each allows, what its ledger has counted, what is reserved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.clock import Millis
from bot.domain.budget import Budget
from bot.domain.work import Work
from bot.storage.contract import Tx


@dataclass(frozen=True, kw_only=True)
class Bar:
    """
    One budget, with its ledger; all amounts are whole millionths.

    ``max`` is what it allows, with what people raised it by. ``used`` is settled; ``reserved`` is for runs under way.
    """

    budget: Budget
    ledger: str
    max: int
    used: int
    reserved: int


def bars(tx: Tx, work: Work, budgets: Sequence[Budget], at: Millis) -> list[Bar]:
    """Return the budgets that count a Work, in their order, in the windows of ``at``."""
    if not budgets:
        return []
    line = tx.scopes.line(work.scope)
    return [_bar(tx, work, budget, at) for budget in budgets if budget.applies(work, line)]


def _bar(tx: Tx, work: Work, budget: Budget, at: Millis) -> Bar:
    ledger = budget.ledger(work, at)
    raised = tx.ledgers.raised(work.item, work.playbook, budget.unit) if budget.raisable else 0
    return Bar(
        budget=budget,
        ledger=ledger,
        max=budget.max + raised,
        used=tx.ledgers.used(ledger),
        reserved=tx.ledgers.reserved(ledger),
    )
