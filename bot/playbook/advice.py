"""What is allowed in a playbook, and still likely to surprise its author."""

from __future__ import annotations

from collections.abc import Iterator

from bot.domain.usage import RESERVED_UNITS
from bot.playbook.playbook import Playbook


def advice(playbook: Playbook) -> list[str]:
    """Return a line for each setting worth a second look; a check shows them and fails for none."""
    return [f"{playbook.path}: {line}" for line in _lines(playbook)]


def _lines(playbook: Playbook) -> Iterator[str]:
    binding = playbook.binding
    for unit in dict.fromkeys(budget.unit for budget in playbook.budgets):
        if unit not in RESERVED_UNITS and unit not in binding.estimate:
            yield (
                f"binding.estimate: without an estimate of {unit}, runs side by side can together "
                f"go past a budget of {unit}"
            )
    for word, status in playbook.statuses.items():
        if word != playbook.running and not status.complete and not status.wait:
            yield f"statuses.{word}: neither ends the work nor says what wakes it"
