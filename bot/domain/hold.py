"""Holds: reasons why a Work may not start."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.clock import Millis
from bot.domain.identity import named
from bot.ids import HoldId, WorkId

BRAKE = "core:brake"
"""The holder of a brake's hold; no login has a colon."""
DEFERRAL = "core:deferral"
"""The holder of a hold after an attempt that was deferred until a person acts."""


class HoldKind(enum.Enum):
    """What kind of reason holds the Work, which decides who may lift it."""

    GATE = "gate"
    """A start gate asked for it; only its holder settles it (C-187)."""
    BUDGET = "budget"
    """A budget is used up; a person lifts it for one start, or raises the cap (C-172, C-174)."""
    OPERATOR = "operator"
    """A person or a brake; a person lifts it."""


class HoldState(enum.Enum):
    """Where a hold stands; all but OPEN are final."""

    OPEN = "open"
    ADMITTED = "admitted"
    REFUSED = "refused"
    STALE = "stale"
    """What it asked about has changed; another hold may have been placed anew."""
    RELEASED = "released"
    ENDED = "ended"
    """Its Work ended for another reason."""


@dataclass(frozen=True, kw_only=True)
class Hold:
    """
    A reason why a Work may not start, placed by ``holder``.

    ``revision`` is what a decision about it is bound to; ``details`` belong to the holder.
    """

    id: HoldId
    work: WorkId
    kind: HoldKind
    holder: str
    reason: str
    revision: str
    details: Mapping[str, object] = field(default_factory=dict)
    state: HoldState = HoldState.OPEN
    placed_at: Millis
    settled_at: Millis | None = None
    settled_by: str | None = None
    settled_reason: str = ""

    def __post_init__(self) -> None:
        named(id=self.id, work=self.work, holder=self.holder)

    @property
    def person(self) -> str | None:
        """The login of who placed an operator's hold; None for a gate, a budget, or what the core placed itself."""
        return self.holder if self.kind is HoldKind.OPERATOR and ":" not in self.holder else None
