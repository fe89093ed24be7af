"""Hunt all mutants, or those whose name holds a text. Exits with 1 when nothing finds one of them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.simulation.mutants.all import MUTANTS
from tests.simulation.mutants.hunt import Caught, hunt
from tests.simulation.mutants.mutant import Mutant

SEEDS = 150


def main(arguments: list[str] | None = None) -> int:
    """Hunt what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutants", description=__doc__)
    parser.add_argument("text", nargs="?", default="", help="only mutants whose name holds this")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds that a simulation may take (%(default)s)")
    given = parser.parse_args(arguments)
    chosen = [mutant for mutant in MUTANTS if given.text in mutant.name]
    survivors = 0
    for mutant, caught in _hunt_all(chosen, given.seeds):
        missing = caught.misses(mutant)
        survivors += not caught
        sys.stdout.write(f"{'found' if caught else 'SURVIVES':8} {mutant.name}: {_said(caught, missing)}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(chosen)} mutants, {survivors} survived\n")
    return int(bool(survivors))


def _hunt_all(chosen: list[Mutant], seeds: int) -> Iterator[tuple[Mutant, Caught]]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from zip(chosen, pool.map(partial(hunt, seeds=seeds), chosen), strict=True)


def _said(caught: Caught, missing: list[str]) -> str:
    found = [caught.test, f"{caught.invariant} (seed {caught.seed})" if caught.invariant else ""]
    return "; ".join([*filter(None, found), *(f"not by {name}" for name in missing)])


if __name__ == "__main__":
    sys.exit(main())
