"""What people read, word by word."""

from __future__ import annotations

import pytest

from tests.projectors.moments import DIRECTORY, snapshots

TEXTS = snapshots()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_moment_reads_as_it_was_agreed(name: str) -> None:
    assert TEXTS[name] == (DIRECTORY / name).read_text(encoding="utf-8")


def test_no_snapshot_is_left_over() -> None:
    assert {path.name for path in DIRECTORY.iterdir()} == set(TEXTS)
