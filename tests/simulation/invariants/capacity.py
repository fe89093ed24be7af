"""Capacity: what counts never exceeds what is allowed, attempts whose end is not proven counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tests.simulation.audit import Check, Step


def pools_are_not_exceeded(step: Step) -> Iterator[str]:
    """No pool holds more attempts than it may."""
    taken = Counter(row["pool"] for row in step.after.executions.values() if row["slot"])
    for pool, count in taken.items():
        limit = step.facts.limits.pool(pool)
        if count > limit:
            yield f"{count} attempts hold a slot of {limit} {pool}"


def scopes_are_not_exceeded(step: Step) -> Iterator[str]:
    """No scope, with all below it, holds more attempts than it may."""
    taken: Counter[str] = Counter()
    for row in step.after.executions.values():
        if row["slot"]:
            taken.update(_line(row["scope"], step.after.parents))
    for scope, limit in step.facts.limits.scopes:
        if taken[scope] > limit:
            yield f"{taken[scope]} attempts hold a slot of {limit} in {scope}"


def _line(scope: str, parents: Mapping[str, str | None]) -> list[str]:
    found: list[str] = []
    above: str | None = scope
    while above is not None:
        found.append(above)
        above = parents.get(above)
    return found


ALL: tuple[Check, ...] = (pools_are_not_exceeded, scopes_are_not_exceeded)
