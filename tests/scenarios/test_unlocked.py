"""A thread that was locked is written to as soon as it is unlocked, with nothing else said in it."""

from __future__ import annotations

from bot.demo.world import MAINTAINER, REPOSITORY
from tests.scenarios.playbooks import APPROVED, RECORD
from tests.scenarios.scenes import behaves
from tests.scenarios.stage import Stage


@behaves(RECORD, gates=APPROVED)
async def test_unlocking_a_thread_is_enough(stage: Stage) -> None:
    # ag-J06
    thread = await stage.issue()
    await stage.tracker.lock(REPOSITORY, thread.number, by=MAINTAINER)
    await stage.label(thread)
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    assert await stage.ours(thread) == []
    await stage.tracker.lock(REPOSITORY, thread.number, by=MAINTAINER, locked=False)
    await stage.said(thread, "**Approval needed to start**")
    await stage.settle()
    assert await stage.up.store.read(lambda tx: tx.threads.parked()) == []
    assert len(await stage.ours(thread)) == 2
