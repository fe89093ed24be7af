from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulation.invariants import ALL
from tests.simulation.mutants.all import MUTANTS
from tests.simulation.mutants.hunt import Caught
from tests.simulation.mutants.mutant import ROOT, Mutant, Patch

REST = Path(__file__).parents[1] / "rest.py"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.name)
def test_what_a_mutant_breaks_still_stands_once_in_its_file(mutant: Mutant) -> None:
    assert [(patch.file, patch.occurrences()) for patch in mutant.patches] == [
        (patch.file, 1) for patch in mutant.patches
    ]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.name)
def test_what_is_expected_to_find_a_mutant_exists(mutant: Mutant) -> None:
    assert mutant.tests or mutant.invariants
    assert [name for name in mutant.tests if not (ROOT / name).exists()] == []
    known = {check.__name__ for check in ALL}
    rest = REST.read_text()
    assert [name for name in mutant.invariants if name not in known and f"{name}: " not in rest] == []


def test_there_are_enough_mutants_and_each_has_its_name() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 10


def test_a_patch_changes_the_copy_and_nothing_else(tmp_path: Path) -> None:
    patch = Patch(file="one.py", old="a == b", new="True")
    (tmp_path / "one.py").write_text("return a == b\n")
    patch.apply(tmp_path)
    assert (tmp_path / "one.py").read_text() == "return True\n"
    with pytest.raises(ValueError, match="does not hold once"):
        patch.apply(tmp_path)


def test_what_was_expected_to_find_a_mutant_and_did_not_is_named() -> None:
    mutant = Mutant(name="any", patches=(), tests=("tests/one.py",), invariants=("one_live_work",))
    assert Caught(test="test_one", invariant="one_live_work", seed=1).misses(mutant) == []
    assert Caught(test="test_one").misses(mutant) == ["a simulation"]
    assert Caught(invariant="segments_sum", seed=1).misses(mutant) == ["a test"]


def test_a_mutant_survives_when_nothing_finds_it() -> None:
    assert not Caught()
    assert Caught(test="test_one")
    assert Caught(invariant="one_live_work", seed=0)
