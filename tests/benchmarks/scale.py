"""How much is measured: all of it, or a slice that shows that everything works."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Scale:
    """
    The size of each measurement.

    ``rounds`` of ``seconds`` each are given to either receiver, in turn, over ``connections``. ``claims`` are made
    for each combination of database and concurrency, ``batch`` at a time; ``finished`` says how many Works have ended
    in each database, the fewest first. ``issues`` are labelled, one after the other.
    """

    name: str
    rounds: int
    seconds: float
    claims: int
    finished: tuple[int, ...]
    issues: int
    batch: int = 64
    connections: int = 32


QUICK = Scale(name="quick", rounds=1, seconds=0.4, claims=32, finished=(10, 500), issues=1, batch=16)
FULL = Scale(name="full", rounds=8, seconds=3.0, claims=1_536, finished=(100, 10_000, 1_000_000), issues=20)
