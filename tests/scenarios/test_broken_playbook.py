"""A playbook that is taken away while something waits for it."""

from __future__ import annotations

from bot.domain.work import WorkState
from tests.scenarios.playbooks import APPROVED, RECORD, runs
from tests.scenarios.scenes import behaves
from tests.scenarios.stage import Stage


# gh-Z-04
@behaves(RECORD, gates=APPROVED)
async def test_a_run_without_its_playbook_says_so_and_can_be_cancelled(scene: Stage) -> None:
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        await scene.settle()
    text = scene.playbook.read_text(encoding="utf-8")
    scene.playbook.write_text(
        text.replace("name: work-issue", "name: other").replace("run:work-issue", "run:other"), encoding="utf-8"
    )
    async with scene.bot():
        await scene.say(thread, "/approve")
        await scene.said(thread, "not there any more")
        await scene.say(thread, "/status")
        await scene.settle()
        assert sum("not there any more" in body for body in await scene.ours(thread)) == 2
        await scene.say(thread, "/cancel")
        await scene.ended(thread)
        (work,) = await scene.works(thread)
        assert work.state is WorkState.CANCELLED
    assert runs(scene.directory) == 0
