"""
Run seeds: many of them, or one with its history.

Exits with 1 when an invariant is violated, and when many seeds do not reach all that is worth reaching.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from tests.simulation.choices import from_text
from tests.simulation.history import REACHED
from tests.simulation.report import coverage, failure, shrunk
from tests.simulation.run import STEPS, Ended, run

SEEDS = 200
MANY = 200
"""From so many seeds on it is a failure when something that is worth reaching was never reached."""


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    given = _parser().parse_args(arguments)
    if given.seed is not None:
        script = None if given.replay is None else from_text(given.replay)
        return _one(run(given.seed, steps=given.steps, script=script))
    seeds = range(given.start, given.start + given.seeds)
    if given.first is not None:
        return _first(seeds, given.steps, given.first.split(","))
    return _many(seeds, given.steps, given.processes)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many seeds to run (%(default)s)")
    parser.add_argument("--start", type=int, default=0, help="the first of them (%(default)s)")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of each before it comes to rest (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", help="only name the first seed that violates one of these invariants")
    parser.add_argument("--seed", type=int, help="run this one and print its history")
    parser.add_argument("--replay", help="of that seed, the history that was printed for a failure")
    return parser


def _one(ended: Ended) -> int:
    _say(ended.history)
    _say([ended.violation or "all invariants held"])
    return int(ended.violation is not None)


def _first(seeds: range, steps: int, names: list[str]) -> int:
    for ended in _run_all(seeds, steps, 1):
        if ended.name in names:
            _say([f"seed {ended.seed} after {ended.steps} steps: {ended.violation}"])
            return 1
    return 0


def _many(seeds: range, steps: int, processes: int) -> int:
    began = time.monotonic()
    reached: Counter[str] = Counter()
    taken, failed = 0, []
    for ended in _run_all(seeds, steps, processes):
        taken += ended.steps
        reached += ended.reached
        if ended.violation is not None:
            failed.append(ended)
            _say([f"seed {ended.seed}: {ended.violation}"])
    took = time.monotonic() - began
    _say([f"{len(seeds)} seeds, {taken} steps in {took:.0f} s: {taken / took:.0f} steps/s, {len(failed)} failed"])
    _say(coverage(reached))
    if failed:
        _say(failure(failed[0], shrunk(failed[0])))
    missed = len(seeds) >= MANY and any(not reached[name] for name in REACHED)
    return int(bool(failed) or missed)


def _run_all(seeds: range, steps: int, processes: int) -> Iterator[Ended]:
    one = partial(run, steps=steps)
    if processes == 1:
        yield from map(one, seeds)
        return
    # Started anew, not forked: a simulation replaces parts of modules while it runs.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(one, seeds, chunksize=4)


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
