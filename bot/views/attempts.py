"""What there is to tell of the attempts of a Work that have ended."""

from __future__ import annotations

from collections.abc import Sequence

from bot.domain.execution import Execution
from bot.views.thread import AttemptView


def ended_attempts(executions: Sequence[Execution]) -> tuple[AttemptView, ...]:
    """Return the attempts that have ended, oldest first."""
    return tuple(
        AttemptView(
            number=each.number,
            outcome=each.outcome,
            status=each.status,
            reason=each.summary,
            started_at=each.started_at,
            ended_at=each.ended_at,
            units={unit: amount for unit, amount in each.staged.items() if unit != "minutes"},
        )
        for each in executions
        if each.outcome is not None and each.ended_at is not None
    )
