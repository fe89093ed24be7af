"""Budgets: at most so much of a unit, counted per Work, scope or everything, over a period."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.clock import Millis
from bot.domain.usage import UNIT_PATTERN
from bot.domain.work import Work
from bot.ids import ScopeId

MICRO = 1_000_000
"""Amounts are stored as whole millionths of a unit, so that sums are exact."""
_LARGEST = 1e9
"""The largest amount that is counted: what a run reports beyond it is nonsense, and must still fit a column."""
_MONEY = frozenset({"usd", "eur", "gbp"})


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
    below, ``playbook`` to the Work of one playbook. Raises ``ValueError`` for a unit of the wrong shape, a maximum or
    fraction out of range, and a ``scope`` on a budget that every scope shares.
    """

    unit: str
    max: int
    per: Per = Per.WORK
    period: Period = Period.LIFE
    warn_at: float | None = None
    scope: ScopeId | None = None
    playbook: str | None = None

    @property
    def name(self) -> str:
        """What tells it from the others that count the same Work: ``usd/work/life``."""
        return f"{self.unit}/{self.per.value}/{self.period.value}"

    @property
    def raisable(self) -> bool:
        """Whether a person may raise it for one Work: it is that of the Work alone, for good."""
        return self.per is Per.WORK and self.period is Period.LIFE

    def __post_init__(self) -> None:
        if not UNIT_PATTERN.fullmatch(self.unit):
            raise ValueError(f"{self.unit[:40]!r} is not a unit")
        if self.max <= 0:
            raise ValueError("a budget allows more than nothing")
        if self.warn_at is not None and not 0 < self.warn_at < 1:
            raise ValueError(f"a budget warns at a fraction between 0 and 1, not {self.warn_at}")
        if self.per is Per.ALL and self.scope is not None:
            raise ValueError("a budget of everything is shared by all scopes; it cannot be narrowed to one")

    def applies(self, work: Work, line: Sequence[ScopeId]) -> bool:
        """Whether it counts a Work; ``line`` is the scope of the Work and all above it."""
        return self.playbook in {None, work.playbook} and (self.scope is None or self.scope in line)

    def ledger(self, work: Work, at: Millis) -> str:
        """
        Return the key of the ledger that counts what a Work uses by a claim at ``at`` (C-171).

        A new window is a new key: nothing is ever reset. What counts per Work counts per item and playbook, so that a
        later run goes on where the earlier one ended.
        """
        subject = {
            Per.WORK: f"work/{work.item}/{work.playbook}",
            Per.SCOPE: f"scope/{work.scope}" + self._own(),
            Per.ALL: "all" + self._own(),
        }[self.per]
        return "/".join(filter(None, (self.unit, subject, self.period.value, _window(self.period, at))))

    def _own(self) -> str:
        """Return what keeps the ledger of a playbook's own budget apart from those that count all playbooks."""
        return "" if self.playbook is None else f"/{self.playbook}"


def whole(amount: float) -> int:
    """Return an amount in whole millionths, as it is counted; bounded by the largest that is counted."""
    return round(min(max(amount, -_LARGEST), _LARGEST) * MICRO)


def unit_of(ledger: str) -> str:
    """Return the unit that a ledger counts."""
    return ledger.partition("/")[0]


def shown(amount: int, unit: str) -> str:
    """Return an amount of millionths as people read it, without its unit: ``5.00`` of money, ``12`` of others."""
    if unit in _MONEY:
        return f"{amount / MICRO:,.2f}"
    return f"{amount / MICRO:,.2f}".rstrip("0").rstrip(".")


def _window(period: Period, at: Millis) -> str:
    moment = datetime.fromtimestamp(at / 1000, tz=UTC)
    match period:
        case Period.DAY:
            return moment.strftime("%Y-%m-%d")
        case Period.WEEK:
            year, week, _ = moment.isocalendar()
            return f"{year}-W{week:02}"
        case Period.LIFE:
            return ""
