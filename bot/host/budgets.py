"""Budgets in force: those of playbooks, each for the Work of its own, and the operator's, for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from bot.domain.budget import Budget, Per, Period, whole
from bot.domain.usage import RESERVED_UNITS
from bot.playbook.playbook import Playbook
from bot.playbook.problem import Problem

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class OperatorBudgets:
    """
    What the configuration says of budgets.

    ``everywhere`` count all Work that they are not narrowed from; ``scoped`` those of one owner or repository, by its
    name in lower case. ``ceiling`` is how far people may raise the budget of one Work, in millionths by unit.
    """

    everywhere: tuple[Budget, ...] = ()
    scoped: Mapping[str, tuple[Budget, ...]] = field(default_factory=dict)
    ceiling: Mapping[str, int] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Budget, ...]:
        """Every budget of the operator."""
        return (*self.everywhere, *(budget for budgets in self.scoped.values() for budget in budgets))


def playbook_budgets(playbooks: Iterable[Playbook]) -> tuple[Budget, ...]:
    """Return the budgets of playbooks; each counts the Work of its playbook alone."""
    return tuple(
        Budget(
            unit=entry.unit,
            max=whole(entry.max),
            per=Per(entry.per.value),
            period=Period(entry.period.value),
            warn_at=entry.warn_at,
            playbook=playbook.name,
        )
        for playbook in playbooks
        for entry in playbook.budgets
    )


def estimate_of(playbook: Playbook) -> Mapping[str, int]:
    """Return what one attempt is expected to use, in millionths by unit."""
    return {unit: whole(amount) for unit, amount in playbook.binding.estimate.items()}


def never_starting(playbook: Playbook, budgets: Sequence[Budget]) -> Iterator[Problem]:
    """Yield a problem for each budget of the operator that is less than one attempt is expected to use."""
    for unit, amount in estimate_of(playbook).items():
        if any(budget.unit == unit and budget.max < amount for budget in budgets):
            message = "is more than a budget in the configuration allows: it would never start"
            yield Problem(path=playbook.path, line=1, key=f"binding.estimate.{unit}", message=message)


def warn_of_missing_estimates(playbooks: Iterable[Playbook], budgets: Sequence[Budget]) -> None:
    """Log each playbook whose runs side by side can together go past a budget of the operator."""
    units = sorted({budget.unit for budget in budgets} - RESERVED_UNITS)
    for playbook in playbooks:
        missing = [unit for unit in units if unit not in playbook.binding.estimate]
        if missing:
            _log.warning("budget_without_estimate", playbook=playbook.name, units=missing)
