"""Some seeds in the suite; ``make simulate`` runs many more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.simulation.history import REACHED
from tests.simulation.run import run

SEEDS = range(9_000, 9_014)
ROOT = Path(__file__).parents[2]
TELL = "from tests.simulation.run import run; print(*run({seed}, steps=120).history, sep='\\n')"


OFTEN = (
    "kill",
    "stand",
    "paused past a lease",
    "lost delivery",
    "doubled delivery",
    "late delivery",
    "clock back",
    "clock forward",
    "claimed",
    "launched",
    "adopted",
    "recovered",
    "finished failed",
    "finished waiting",
    "finished completed",
    "hold",
    "approval",
    "cancelled",
    "retry",
    "operator hold",
)
"""What a few seeds reach together; ``make simulate`` fails when many do not reach all that is worth reaching."""


def test_whatever_happens_every_invariant_holds() -> None:
    # C-10, C-14, C-42, C-56, C-58, C-73, C-75, C-85, C-143, C-169, C-174, C-188, C-190, ag-A07
    reached = Counter[str]()
    for seed in SEEDS:
        ended = run(seed)
        assert ended.violation is None, "\n".join([*ended.history, ended.violation])
        reached += ended.reached
    assert [name for name in OFTEN if not reached[name]] == []
    assert set(OFTEN) <= set(REACHED)


def test_a_seed_runs_twice_the_same_way() -> None:
    one, other = run(9_100, steps=120), run(9_100, steps=120)
    assert one == other
    assert len(one.history) > 120


def test_what_was_drawn_can_be_drawn_again() -> None:
    """A run that is replayed from its script goes the same way, though nothing is left to chance in it."""
    one = run(9_101, steps=120)
    assert run(9_101, script=one.script).history == one.history


def test_another_seed_runs_another_way() -> None:
    assert run(9_102, steps=30).history != run(9_103, steps=30).history


def test_a_run_does_not_depend_on_how_a_process_hashes() -> None:
    """Sets and dictionaries of texts are ordered otherwise in each process; nothing may hang on that."""
    told = [_in_a_process_of_its_own(9_104, hashed) for hashed in ("1", "2")]
    assert told[0] == told[1]
    assert told[0] == "\n".join(run(9_104, steps=120).history) + "\n"


def _in_a_process_of_its_own(seed: int, hashed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hashed}
    done = subprocess.run(
        [sys.executable, "-c", TELL.format(seed=seed)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
