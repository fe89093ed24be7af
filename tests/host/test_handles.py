"""The runs that are observed here."""

from __future__ import annotations

from bot.domain.execution import Fence
from bot.host.handles import Handles
from bot.ids import ExecutionId
from tests.host.talking import Talk

FIRST = Fence(execution=ExecutionId("exe-1"), epoch=1)
SECOND = Fence(execution=ExecutionId("exe-1"), epoch=2)


def test_a_run_is_found_at_its_own_epoch_and_while_it_is_observed() -> None:
    # C-136
    handles, run = Handles(), Talk()
    with handles.holding(FIRST, run):
        assert handles.get(FIRST) is run
        assert handles.get(SECOND) is None
    assert handles.get(FIRST) is None
