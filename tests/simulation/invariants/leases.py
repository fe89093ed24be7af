"""Leases: never cut short by their holder, except to give them back."""

from __future__ import annotations

from collections.abc import Iterator

from tests.simulation.audit import Check, Step


def no_lease_is_shortened(step: Step) -> Iterator[str]:
    """Ensure that a lease that ends earlier than before was given back: nothing of it is left."""
    for identity, before in step.before.executions.items():
        after = step.after.executions[identity]
        if after["epoch"] != before["epoch"] or after["phase"] == "finished":
            continue
        left = after["lease_until"] - step.now
        given_back = after["next_at"] != before["next_at"]
        if after["lease_until"] < before["lease_until"] and left > 0 and not given_back:
            yield f"the lease of {identity} was cut short, and lasts for {left} ms still"


ALL: tuple[Check, ...] = (no_lease_is_shortened,)
