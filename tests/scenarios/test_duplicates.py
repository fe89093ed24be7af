"""Nothing is done twice, however often and by however many ways it is told."""

from __future__ import annotations

import asyncio
import dataclasses
import secrets

import pytest

from bot.demo import story
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.work import WorkState
from bot.host.store import open_store
from bot.storage.runner import ThreadRunner
from tests.scenarios.playbooks import APPROVED, AWAIT, COMMIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage
from webhooks.intake import Intake
from webhooks.receiver import Receiver
from webhooks.secret import Secret

TRIGGER = "run:work-issue"


@webhooks_only
@behaves(f"{RECORD}; {COMMIT}; {AWAIT}", default="review")
async def test_a_delivery_that_comes_again_starts_nothing(stage: Stage, signal: Signal) -> None:
    # ag-A01, ag-A04
    thread = await stage.begin()
    await stage.at_work(thread)
    labelled = (await stage.deliveries("issues", "labeled"))[0]
    during = await stage.send(labelled)
    assert during.json()["status"] == "duplicate"
    signal.give()
    await stage.labelled(thread, "state:review")
    await stage.tracker.redeliver(REPOSITORY, stage.hook, labelled.id)
    await stage.settle()
    again = (await stage.deliveries("issues", "labeled"))[-1]
    assert (again.guid, again.status_code) == (labelled.guid, 202)
    assert "duplicate" in str(again.response)
    assert runs(stage.directory) == 1
    assert len(await stage.works(thread)) == 1
    pulls = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    assert len(pulls) == 1


@behaves(RECORD)
async def test_two_labels_at_once_start_one_run(stage: Stage) -> None:
    # ag-A05
    thread = await stage.issue()
    await stage.label(thread, "documentation", TRIGGER)
    await stage.labelled(thread, "state:done")
    await stage.settle()
    assert runs(stage.directory) == 1
    assert "documentation" in await thread.labels()


@silent_only
@behaves(RECORD)
async def test_a_label_beside_the_trigger_starts_nothing(stage: Stage) -> None:
    # ag-A05, gh-D-09
    thread = await stage.begin()
    await stage.labelled(thread, "state:done")
    await stage.tracker.unlabel(REPOSITORY, thread.number, "state:done", by=DEVELOPER)
    await stage.label(thread, "documentation")
    await stage.settle()
    assert runs(stage.directory) == 1


@behaves(RECORD)
async def test_an_issue_that_is_opened_with_the_label_is_worked_on_once(stage: Stage) -> None:
    # ag-A06
    made = await stage.tracker.open_issue(REPOSITORY, by=DEVELOPER, title="Fix it", body="", labels=[TRIGGER])
    thread = story.Thread(stage.people[DEVELOPER], REPOSITORY, made.number)
    await stage.labelled(thread, "state:done")
    await stage.settle()
    assert runs(stage.directory) == 1
    await stage.label(thread)
    await stage.ended(thread, works=2)
    assert runs(stage.directory) == 2


@behaves(f"{RECORD}; {AWAIT}")
async def test_the_label_put_on_again_while_it_runs_is_answered_once(stage: Stage, signal: Signal) -> None:
    # ag-A07
    await stage.tracker.add_user("tidy", bot=True)
    await stage.tracker.grant(REPOSITORY, "tidy", "triage")
    thread = await stage.begin()
    await stage.at_work(thread)
    for _ in range(2):
        await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by="tidy")
        await stage.label(thread)
        await stage.said(thread, "runs here already")
        await stage.settle()
    signal.give()
    await stage.labelled(thread, "state:done")
    await stage.settle()
    assert sum("runs here already" in body for body in await stage.ours(thread)) == 1
    assert runs(stage.directory) == 1


@behaves(f"{RECORD}; {AWAIT}")
async def test_the_label_taken_off_and_put_on_again_is_one_new_run(stage: Stage, signal: Signal) -> None:
    # ag-A07
    thread = await stage.begin()
    await stage.at_work(thread)
    await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=DEVELOPER)
    await stage.label(thread)
    await stage.said(thread, "run 2")
    await stage.at_work(thread)
    signal.give()
    await stage.ended(thread, works=2)
    states = [work.state for work in await stage.works(thread)]
    assert states == [WorkState.CANCELLED, WorkState.COMPLETED]


@behaves(RECORD)
async def test_after_its_end_the_label_starts_one_new_run(stage: Stage) -> None:
    # ag-A07
    thread = await stage.begin()
    await stage.labelled(thread, "state:done")
    await stage.settle()
    assert TRIGGER not in await thread.labels()
    await stage.label(thread)
    await stage.ended(thread, works=2)
    assert await thread.says("run 2")
    first, second = await stage.works(thread)
    assert (first.run, first.state, second.run, second.state) == (1, WorkState.COMPLETED, 2, WorkState.COMPLETED)
    assert runs(stage.directory) == 2


@silent_only
@behaves(RECORD)
async def test_an_edit_after_the_end_starts_nothing(stage: Stage) -> None:
    # ag-A07
    thread = await stage.begin()
    await stage.labelled(thread, "state:done")
    await stage.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, title="Fix it well", body="Please.")
    await stage.tracker.close(REPOSITORY, thread.number, by=DEVELOPER)
    await stage.tracker.reopen(REPOSITORY, thread.number, by=DEVELOPER)
    await stage.settle()
    assert runs(stage.directory) == 1
    assert len(await stage.ours(thread)) == 1


@behaves(RECORD)
async def test_issues_without_the_label_are_none_of_its_business(stage: Stage) -> None:
    # ag-A13
    thread = await stage.issue()
    await stage.label(thread, "bug")
    await stage.tracker.unlabel(REPOSITORY, thread.number, "bug", by=DEVELOPER)
    await stage.say(thread, "Is anybody there?", by=DEVELOPER)
    await stage.tracker.close(REPOSITORY, thread.number, by=DEVELOPER)
    await stage.tracker.reopen(REPOSITORY, thread.number, by=DEVELOPER)
    await stage.settle()
    assert runs(stage.directory) == 0
    assert await stage.ours(thread) == []
    assert await thread.reactions() == set()


@webhooks_only
@behaves(gates=APPROVED)
async def test_one_comment_by_two_hooks_counts_once(stage: Stage) -> None:
    # gh-D-01
    await stage.tracker.create_hook(REPOSITORY, "http://bot.test/webhooks/github", stage.secret)
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/status")
    await stage.said(thread, "Held")
    await stage.settle()
    assert sum("Held:" in body for body in await stage.ours(thread)) == 1
    assert await thread.reactions(spoken) == {"eyes", "+1"}


@webhooks_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize("copies", [20])
async def test_of_many_receivers_of_one_command_one_wins(stage: Stage, copies: int) -> None:
    # ag-A10, gh-D-03
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    stage.doorway.app = None
    await stage.say(thread, "/approve")
    await stage.tracker.deliver_pending()
    spoken = (await stage.deliveries("issue_comment", "created"))[-1]
    second = await open_store(stage.config, ThreadRunner())
    try:
        intake = Intake(second, stage.clock, lambda: None)
        other = Receiver(secrets=[Secret(stage.secret.encode())], accept=intake.accept)
        answers = await asyncio.gather(
            *(
                stage.send(dataclasses.replace(spoken, guid=secrets.token_hex(16)), to=other if copy % 2 else None)
                for copy in range(copies)
            )
        )
    finally:
        await second.close()
    assert sorted(answer.json()["status"] for answer in answers) == ["accepted"] + ["duplicate"] * (copies - 1)
    await stage.labelled(thread, "state:done")
    await stage.settle()
    assert runs(stage.directory) == 1
