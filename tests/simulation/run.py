"""One seed, from the beginning to the rest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.simulation.audit import Check
from tests.simulation.choices import Script
from tests.simulation.invariants import ALL
from tests.simulation.rest import come_to_rest
from tests.simulation.steps import step
from tests.simulation.world import open_world

STEPS = 300


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a seed ended. ``violation`` is the first invariant that did not hold, as ``name: what``."""

    seed: int
    steps: int
    violation: str | None
    script: Script
    history: tuple[str, ...]
    reached: Counter[str] = field(default_factory=Counter)

    @property
    def name(self) -> str:
        """The name of the invariant that was violated, empty when all held."""
        return "" if self.violation is None else self.violation.partition(":")[0]


def run(seed: int, *, steps: int = STEPS, script: Script | None = None, checks: tuple[Check, ...] = ALL) -> Ended:
    """Run a seed for so many steps, or a script to its end, and let everything come to rest."""
    with open_world(seed, script, checks) as world:
        violation = world.violation
        for _ in range(steps if script is None else len(script) - 1):
            if violation is not None:
                break
            step(world)
            violation = world.violation
        if violation is None:
            found = list(come_to_rest(world))
            violation = world.violation or (found[0] if found else None)
        return Ended(
            seed=seed,
            steps=world.steps,
            violation=violation,
            script=world.choices.drawn,
            history=tuple(world.history.lines),
            reached=world.history.reached,
        )
