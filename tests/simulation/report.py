"""What is printed of a seed that failed, and of many that did not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tests.simulation.audit import Check
from tests.simulation.choices import Script, to_text
from tests.simulation.history import REACHED
from tests.simulation.invariants import ALL
from tests.simulation.run import Ended, run
from tests.simulation.shrink import shrink


def shrunk(ended: Ended, *, checks: tuple[Check, ...] = ALL, tries: int = 500) -> Ended:
    """Return the shortest run that is found to violate the same invariant."""

    def fails(script: Script) -> Script | None:
        again = run(ended.seed, script=script, checks=checks)
        return again.script if again.name == ended.name else None

    return run(ended.seed, script=shrink(ended.script, fails, tries=tries), checks=checks)


def failure(ended: Ended, short: Ended) -> Iterator[str]:
    """Yield the lines that tell of a failure, and how to see it again."""
    yield f"seed {ended.seed} violates an invariant after {ended.steps} steps; here after {short.steps}:"
    yield from (f"  {line}" for line in short.history)
    yield f"  violated: {short.violation}"
    yield f"the whole history:  make simulate SEED={ended.seed}"
    yield f"this short one:     make simulate SEED={ended.seed} REPLAY='{to_text(short.script)}'"


def coverage(reached: Counter[str]) -> Iterator[str]:
    """Yield how often each thing that is worth reaching was reached."""
    yield ", ".join(f"{name} {reached[name]}" for name in REACHED)
    missing = [name for name in REACHED if not reached[name]]
    if missing:
        yield f"never reached: {', '.join(missing)}"
