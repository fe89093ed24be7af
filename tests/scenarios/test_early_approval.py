"""An approval that is said before it is asked for is answered as what it is, and lets nothing start."""

from __future__ import annotations

from tests.scenarios.playbooks import APPROVED, RECORD, runs
from tests.scenarios.scenes import behaves
from tests.scenarios.stage import Stage


@behaves(RECORD, gates=APPROVED)
async def test_an_approval_before_the_question_is_told_to_wait_for_it(stage: Stage) -> None:
    # ag-E07
    thread = await stage.begin()
    await stage.say(thread, "/approve")
    await stage.said(thread, "nothing is asked yet")
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1
