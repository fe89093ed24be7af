"""What people read, word by word."""

from __future__ import annotations

import pytest

from bot.domain.hold import HoldState
from bot.domain.result import Outcome
from bot.views.thread import HeldFor, ThreadState
from tests.projectors.moments import DIRECTORY, WORKS, snapshots

TEXTS = snapshots()


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_moment_reads_as_it_was_agreed(name: str) -> None:
    assert TEXTS[name] == (DIRECTORY / name).read_text(encoding="utf-8")


def test_no_snapshot_is_left_over() -> None:
    assert {path.name for path in DIRECTORY.iterdir()} == set(TEXTS)


def test_every_state_every_hold_and_every_end_of_one_has_its_words() -> None:
    # ag-J13
    shown = [work for works in WORKS.values() for work in works]
    holds = [hold for work in shown for hold in work.holds]
    assert {work.state for work in shown} == set(ThreadState)
    assert {hold.kind for hold in holds} == set(HeldFor)
    assert {hold.state for hold in holds} == set(HoldState)
    listed = {attempt.outcome for work in shown for attempt in work.log}
    # These two end a Work, which has no log then that would say more than its title.
    assert listed == set(Outcome) - {Outcome.COMPLETED, Outcome.CANCELLED, Outcome.HANDOFF}


def test_what_asks_for_a_decision_shows_each_way_to_answer() -> None:
    # ag-E13
    for name in ("held-for-approval.md", "held-for-a-commit.md", "held-for-a-verdict.md"):
        assert all(f"- `/{verb}" in TEXTS[name] for verb in ("approve", "refuse reason", "cancel")), name
