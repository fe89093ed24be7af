"""
What must hold after every change, whatever happens.

Each invariant is a function of its own that looks at one committed change and yields what is wrong. ``ALL`` are those
that look at the store and the machine; ``rest`` has those that hold when nothing happens any more.
"""

from __future__ import annotations

from tests.simulation.audit import Check
from tests.simulation.invariants import (
    attempts,
    budgets,
    capacity,
    gates,
    inputs,
    leases,
    runs,
    segments,
    starts,
    works,
)

ALL: tuple[Check, ...] = (
    *works.ALL,
    *attempts.ALL,
    *leases.ALL,
    *capacity.ALL,
    *inputs.ALL,
    *gates.ALL,
    *budgets.ALL,
    *starts.ALL,
    *segments.ALL,
    *runs.ALL,
)
