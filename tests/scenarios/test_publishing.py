"""What an agent commits gets to people, on one branch and one pull request, whatever fails on the way."""

from __future__ import annotations

import re

import pytest

from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.work import WorkState
from bot.trackers.embedded.values import Pull
from tests.scenarios.playbooks import AWAIT, COMMIT, RECORD, Signal, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

PULLS = r"/repos/acme/greeter/pulls"
WORKS = f"{RECORD}; echo $TRACKSIDE_ATTEMPT > attempt; git add --all; {COMMIT}"


async def _pulls(stage: Stage) -> list[int]:
    found = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    return [pull["number"] for pull in found]


async def _in_review(stage: Stage, title: str = "Fix the greeting") -> tuple[Thread, Pull]:
    thread = await stage.begin(title)
    await stage.labelled(thread, "state:review")
    await stage.settle()
    (number,) = await _pulls(stage)
    return thread, await stage.tracker.pull(REPOSITORY, number)


@webhooks_only
@behaves(WORKS, default="review")
async def test_a_pull_request_whose_answer_was_lost_is_not_opened_twice(stage: Stage) -> None:
    # gh-W-05
    fault = stage.faults.lose("POST", PULLS)
    thread, pull = await _in_review(stage)
    assert fault.met == 1
    assert await thread.says(f"#{pull.number}")
    (work,) = await stage.works(thread)
    assert (work.pull_request, work.attempts) == (pull.number, 1)
    assert runs(stage.directory) == 1


@webhooks_only
@behaves(WORKS, default="review")
async def test_a_pull_request_that_cannot_be_opened_is_tried_again_without_another_run(stage: Stage) -> None:
    fault = stage.faults.refuse("POST", PULLS, times=3)
    thread, pull = await _in_review(stage)
    assert fault.met == 3
    assert await _pulls(stage) == [pull.number]
    assert runs(stage.directory) == 1
    assert len(await stage.ours(thread)) == 1


@silent_only
@behaves(f"{WORKS}; {AWAIT}", default="review")
async def test_a_push_that_does_not_get_through_is_tried_again_without_another_run(
    stage: Stage, signal: Signal
) -> None:
    thread = await stage.begin()
    await stage.at_work(thread)
    remote = stage.directory / "git" / f"{REPOSITORY}.git"
    remote.rename(remote.with_name("away"))
    signal.give()
    await stage.until("publishing failed", lambda: _publishing_failed(stage))
    assert await _pulls(stage) == []
    remote.with_name("away").rename(remote)
    await stage.labelled(thread, "state:review")
    await stage.settle()
    assert len(await _pulls(stage)) == 1
    assert runs(stage.directory) == 1


async def _publishing_failed(stage: Stage) -> bool:
    return await stage.up.store.read(lambda tx: any(each.publish_tries for each in tx.executions.live()))


@silent_only
@behaves(WORKS, default="review")
async def test_a_push_that_is_forbidden_stops_the_work_and_says_why(stage: Stage) -> None:
    hook = stage.directory / "git" / f"{REPOSITORY}.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho This branch is protected.\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    thread = await stage.begin()
    await stage.said(thread, "**Stopped after 1 attempt**")
    await stage.settle()
    assert await thread.says("This branch is protected")
    assert await _pulls(stage) == []
    assert runs(stage.directory) == 1


@silent_only
@behaves(WORKS, default="review")
@pytest.mark.parametrize(
    "title", ['"; $(touch x)\n`touch x` && rm -rf ~', "Ünïcödé… \u202egnp.exe", "../../.git/HEAD", "''"]
)
async def test_a_title_is_text_and_nothing_else(stage: Stage, title: str) -> None:
    # ag-K03
    thread, pull = await _in_review(stage, title)
    assert re.fullmatch(rf"trackside/{thread.number}[a-z0-9-]*", pull.head_ref)
    files = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls/{pull.number}/files")
    assert [file["filename"] for file in files] == ["attempt"]
    assert list(stage.directory.rglob("x")) == []
    prompt = (stage.directory / "prompt-1").read_text(encoding="utf-8")
    assert title.split("\n", maxsplit=1)[0][:8] in prompt


@behaves(WORKS, default="review")
async def test_requested_changes_start_the_next_attempt_on_the_same_branch(stage: Stage) -> None:
    thread, pull = await _in_review(stage)
    await stage.tracker.review(REPOSITORY, pull.number, "REQUEST_CHANGES", "Say it louder.", by=MAINTAINER)
    await stage.until("a second attempt", lambda: _waits(stage, thread, 2))
    await stage.settle()
    assert await _pulls(stage) == [pull.number]
    after = await stage.tracker.pull(REPOSITORY, pull.number)
    assert (after.head_ref, after.measure.commits) == (pull.head_ref, 2)
    assert after.head_sha != pull.head_sha
    assert "Say it louder." in (stage.directory / "prompt-2").read_text(encoding="utf-8")
    assert runs(stage.directory) == 2


async def _waits(stage: Stage, thread: Thread, attempts: int) -> bool:
    (work,) = await stage.works(thread)
    return work.state is WorkState.WAITING and work.attempts == attempts


@behaves(WORKS, default="review")
async def test_a_comment_on_the_pull_request_is_input_too(stage: Stage) -> None:
    thread, pull = await _in_review(stage)
    await stage.tracker.comment(REPOSITORY, pull.number, "Say it louder.", by=MAINTAINER)
    await stage.until("a second attempt", lambda: _waits(stage, thread, 2))
    await stage.settle()
    assert "Say it louder." in (stage.directory / "prompt-2").read_text(encoding="utf-8")
    assert await _pulls(stage) == [pull.number]


@behaves(WORKS, default="review")
async def test_what_is_merged_is_done_and_the_close_that_follows_is_not_heard(stage: Stage) -> None:
    # ag-A09
    thread, pull = await _in_review(stage)
    await stage.tracker.merge(REPOSITORY, pull.number, by=MAINTAINER)
    await stage.ended(thread)
    assert not (await stage.tracker.thread(REPOSITORY, thread.number)).open
    (work,) = await stage.works(thread)
    assert work.state is WorkState.COMPLETED
    (sticky,) = await stage.ours(thread)
    assert f"Pull request #{pull.number} merged." in sticky
    assert await thread.labels() == {"state:done"}


@webhooks_only
@behaves(f'{WORKS}; test "$TRACKSIDE_ATTEMPT" = 1 || sleep 3600', default="review")
async def test_a_merge_while_it_runs_ends_the_run(stage: Stage) -> None:
    thread, pull = await _in_review(stage)
    await stage.tracker.review(REPOSITORY, pull.number, "REQUEST_CHANGES", "Say it louder.", by=DEVELOPER)
    await stage.at_work(thread)
    await stage.tracker.merge(REPOSITORY, pull.number, by=MAINTAINER)
    await stage.ended(thread)
    (work,) = await stage.works(thread)
    assert work.state is WorkState.COMPLETED
    assert await thread.labels() == {"state:done"}


@behaves(WORKS, default="review")
async def test_what_is_closed_unmerged_is_cancelled_and_a_new_run_begins_anew(stage: Stage) -> None:
    thread, pull = await _in_review(stage)
    await stage.tracker.close(REPOSITORY, pull.number, by=MAINTAINER)
    await stage.ended(thread)
    (work,) = await stage.works(thread)
    assert work.state is WorkState.CANCELLED
    assert "pull request was closed" in work.reason
    assert await thread.labels() == set()
    await stage.label(thread)
    await stage.labelled(thread, "state:review")
    await stage.settle()
    second = (await stage.works(thread))[-1]
    assert second.pull_request not in {None, pull.number}
    assert second.branch != pull.head_ref
    assert not (await stage.tracker.thread(REPOSITORY, pull.number)).open


@silent_only
@behaves(WORKS, default="review")
async def test_what_people_pushed_to_the_branch_is_kept(stage: Stage) -> None:
    thread, pull = await _in_review(stage)
    await stage.tracker.commit(REPOSITORY, pull.head_ref, {"by-hand": "mine\n"}, by=DEVELOPER)
    await stage.tracker.review(REPOSITORY, pull.number, "REQUEST_CHANGES", "Go on.", by=MAINTAINER)
    await stage.until("a second attempt", lambda: _waits(stage, thread, 2))
    await stage.settle()
    files = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls/{pull.number}/files")
    assert {file["filename"] for file in files} == {"attempt", "by-hand"}


@webhooks_only
@behaves("echo x > forgotten.txt", default="review")
async def test_a_run_that_forgot_to_commit_is_told_to_people(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "state:review")
    await stage.said(thread, "Nothing was published: the run committed nothing.")
    assert await thread.says("Changed and not committed: forgotten.txt.")
    assert await _pulls(stage) == []
