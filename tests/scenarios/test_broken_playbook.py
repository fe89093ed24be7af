"""A playbook that is taken away while something waits for it."""

from __future__ import annotations

from bot.domain.work import WorkState
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only
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


@silent_only
@behaves(f"{RECORD}; {AWAIT}; trackside turn help --comment 'Which of the two?'")
async def test_a_run_whose_playbook_is_taken_away_while_it_runs_is_shown_by_the_one_that_it_started_with(
    stage: Stage, signal: Signal
) -> None:
    # C-23
    thread = await stage.begin()
    await stage.at_work(thread)
    other = stage.directory / "other.md"
    text = stage.playbook.read_text(encoding="utf-8")
    other.write_text(text.replace("name: work-issue", "name: other").replace("run:work-issue", "run:other"))
    stage.up.reload(stage.config.model_copy(update={"playbooks": (other,)}))
    signal.give()
    await stage.said(thread, "Which of the two?")
    await stage.labelled(thread, "state:help")
    assert "state:building" not in await thread.labels()
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    assert await thread.labels() == set()
