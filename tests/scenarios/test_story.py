"""The story of the demo, told twice: with every webhook, and with none."""

from __future__ import annotations

from bot.demo import story
from bot.demo.world import MAINTAINER, READER, REPOSITORY
from tests.scenarios import processes
from tests.scenarios.stage import Stage


async def test_an_approved_issue_is_worked_on_reviewed_and_done(stage: Stage) -> None:
    thread = await story.work_is_approved_and_done(stage.cast, stage.until)
    comments = await thread.comments()
    ours = [comment for comment in comments if comment["user"]["type"] == "Bot"]
    assert len(ours) == 3  # the sticky comment, one ask, one answer to the reader
    done = ours[0]["body"]
    assert "**Done**" in done
    assert "2 attempts" in done
    assert "1 min" in done
    assert "0.02 USD" in done
    pull = await stage.tracker.pull(REPOSITORY, 2)
    assert "greeter.py" in str(await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls/2/files"))
    assert pull.head_ref.startswith("trackside/1-fix-the-greeting")


async def test_a_refused_issue_is_cancelled_with_its_reason(stage: Stage) -> None:
    thread = await story.work_is_refused(stage.cast, stage.until)
    assert processes.runs(stage.directory) == []
    assert await thread.says("**Cancelled**")


async def test_taking_the_label_off_stops_the_whole_process_tree(stage: Stage) -> None:
    # ag-F01
    await story.work_is_stopped(stage.cast, stage.until)
    await stage.settle()
    assert processes.runs(stage.directory) == []


async def test_a_readers_command_changes_nothing(stage: Stage) -> None:
    # ag-D01
    thread = await stage.issue()
    await stage.label(thread)
    await stage.until("held", lambda: story.held(thread))
    await stage.say(thread, "/cancel", by=READER)
    await stage.until("answered", lambda: thread.says("access is needed"))
    assert "hold:gate" in await thread.labels()
