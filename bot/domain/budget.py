"""Budgets: at most so much of a unit, counted per Work, scope or everything, over a period."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.domain.usage import UNIT_PATTERN
from bot.ids import ScopeId

MICRO = 1_000_000
"""Amounts are stored as whole millionths of a unit, so that sums are exact."""


class Per(enum.Enum):
    """What a budget counts together."""

    WORK = "work"
    SCOPE = "scope"
    ALL = "all"


class Period(enum.Enum):
    """How long a budget counts before it begins anew; days and weeks are those of UTC."""

    LIFE = "life"
    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """
    At most ``max`` millionths of ``unit`` (C-164).

    ``warn_at`` is the fraction of ``max`` at which people are told. ``scope`` narrows it to the Work in that scope and
    below. Raises ``ValueError`` for a unit of the wrong shape, a maximum or fraction out of range, and a ``scope`` on
    a budget that every scope shares.
    """

    unit: str
    max: int
    per: Per = Per.WORK
    period: Period = Period.LIFE
    warn_at: float | None = None
    scope: ScopeId | None = None

    def __post_init__(self) -> None:
        if not UNIT_PATTERN.fullmatch(self.unit):
            raise ValueError(f"{self.unit[:40]!r} is not a unit")
        if self.max <= 0:
            raise ValueError("a budget allows more than nothing")
        if self.warn_at is not None and not 0 < self.warn_at < 1:
            raise ValueError(f"a budget warns at a fraction between 0 and 1, not {self.warn_at}")
        if self.per is Per.ALL and self.scope is not None:
            raise ValueError("a budget of everything is shared by all scopes; it cannot be narrowed to one")
