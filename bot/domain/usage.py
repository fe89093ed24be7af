"""What a run used, by unit, such as ``minutes``, ``usd`` or ``tokens``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

UNIT_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,31}")
RESERVED_UNITS = frozenset({"turns", "attempts"})
"""Units that the scheduler counts itself; no run reports them."""


def check_units(units: Mapping[str, float]) -> None:
    """
    Check amounts that a run reports (C-167).

    Raises ``ValueError`` for a unit of the wrong shape, a reserved one, or an amount that is negative or not
    finite.
    """
    for unit, amount in units.items():
        if not UNIT_PATTERN.fullmatch(unit) or unit in RESERVED_UNITS:
            raise ValueError(f"{unit[:40]!r} is not a unit that a run may report")
        if not math.isfinite(amount) or amount < 0:
            raise ValueError(f"the amount of {unit!r} must be finite and not negative, not {amount}")
