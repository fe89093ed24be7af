"""Break a copy of the tree, and see what finds it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.simulation.mutants.mutant import ROOT, Mutant

COPIED = ("bot", "projectors", "webhooks", "playbooks", "tests", "pyproject.toml")
FOUND = re.compile(r"^seed (?P<seed>[0-9]+) after [0-9]+ steps: (?P<invariant>[a-z_]+): ", re.MULTILINE)
FAILED = re.compile(r"^FAILED (?P<test>\S+)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Caught:
    """What found a mutant: a test of the suite, an invariant with the seed that violated it, both or none of them."""

    test: str = ""
    invariant: str = ""
    seed: int | None = None

    def __bool__(self) -> bool:
        """Whether anything found it."""
        return bool(self.test or self.invariant)

    def misses(self, mutant: Mutant) -> list[str]:
        """Return what was expected to find the mutant, and did not."""
        wanted = {
            "a test": bool(mutant.tests) and not self.test,
            "a simulation": bool(mutant.invariants) and not self.invariant,
        }
        return [name for name, missing in wanted.items() if missing]


def hunt(mutant: Mutant, *, seeds: int) -> Caught:
    """Apply a mutant to a copy of the tree, and run there what is expected to find it."""
    with TemporaryDirectory(prefix="mutant-") as place:
        root = Path(place)
        copy_tree(root)
        for patch in mutant.patches:
            patch.apply(root)
        test = _tests(root, mutant.tests) if mutant.tests else ""
        if not mutant.invariants:
            return Caught(test=test)
        wanted = ",".join(mutant.invariants)
        found = FOUND.search(_run(root, "-m", "tests.simulation", "--first", wanted, "--seeds", str(seeds)))
        if found is None:
            return Caught(test=test)
        return Caught(test=test, invariant=found["invariant"], seed=int(found["seed"]))


def copy_tree(root: Path) -> None:
    """Copy what is needed to run the suite."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, root / name)


def _tests(root: Path, tests: tuple[str, ...]) -> str:
    output = _run(root, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:randomly", "-p", "no:cacheprovider", *tests)
    failed = FAILED.search(output)
    return "" if failed is None else failed["test"].partition("::")[2] or failed["test"]


def _run(root: Path, *arguments: str) -> str:
    # The copy comes first in the path, before the tree that is installed.
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr
