"""Percentiles of what was measured, without interpolation: each is a value that occurred."""

from __future__ import annotations

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that at least so many percent of the values do not exceed."""
    if not values:
        raise ValueError("nothing was measured")
    rank = math.ceil(len(values) * percent / 100)
    return sorted(values)[max(rank, 1) - 1]
