"""Votes of people, and what becomes of them when they are taken back."""

from __future__ import annotations

import pytest

from bot.clock import SECOND
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, READER, REPOSITORY
from bot.domain.work import WorkState
from tests.scenarios.playbooks import APPROVED, COMMIT, RECORD, TWO, Reviewer, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

NAMED = f"[{{name: start, users: [{MAINTAINER}]}}]"
TEAM = '[{name: start, teams: ["acme/core"]}]'
SAYS = f"{RECORD}; trackside turn reviewed --comment Fine"
BRANCH = "feature"


async def writer(stage: Stage, login: str) -> str:
    """Add somebody who may write."""
    await stage.tracker.add_user(login)
    await stage.tracker.grant(REPOSITORY, login, "write")
    return login


async def waiting(stage: Stage, thread: Thread) -> bool:
    """Whether the only Work of a thread has not been started."""
    (work,) = await stage.works(thread)
    return (work.state, work.attempts) == (WorkState.READY, 0)


# gh-A-11
@behaves(RECORD, gates=TWO)
async def test_an_approval_counts_no_more_once_its_comment_is_deleted(stage: Stage) -> None:
    robin = await writer(stage, "robin")
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/approve")
    await stage.said(thread, "So far")
    await stage.tracker.delete_comment(REPOSITORY, spoken, by=MAINTAINER)
    await stage.settle()
    # Nothing but a delivery tells of it before the next approval.
    assert await thread.says("took it back") is stage.webhooks
    await stage.say(thread, "/approve", by=robin)
    await stage.said(thread, "took it back")
    await stage.settle()
    assert await waiting(stage, thread)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-A-11
@behaves(RECORD, gates=TWO)
async def test_what_became_of_a_comment_while_the_bot_was_down_is_looked_at_before_it_counts(scene: Stage) -> None:
    robin = await writer(scene, "robin")
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        spoken = await scene.say(thread, "/approve")
        await scene.said(thread, "So far")
    scene.doorway.app = None
    await scene.tracker.edit_comment(REPOSITORY, spoken, "I take that back.", by=MAINTAINER)
    await scene.tracker.deliver_pending()
    async with scene.bot():
        await scene.say(thread, "/approve", by=robin)
        await scene.said(thread, "took it back")
        await scene.settle()
        assert await waiting(scene, thread)


# gh-A-09, gh-A-11
@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_an_approval_that_was_rewritten_before_it_is_heard_of_does_not_count(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/approve")
    await stage.tracker.edit_comment(REPOSITORY, spoken, "Not yet.", by=MAINTAINER)
    await stage.settle()
    assert await waiting(stage, thread)
    await stage.say(thread, "/approve")
    await stage.ended(thread)


# gh-A-11, gh-P-03, gh-P-05
@webhooks_only
@behaves(RECORD, gates=TWO)
async def test_an_edit_that_leaves_the_command_as_it_was_changes_nothing(stage: Stage) -> None:
    robin = await writer(stage, "robin")
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/approve\n\nLooks god.")
    await stage.said(thread, "So far")
    await stage.tracker.edit_comment(REPOSITORY, spoken, "/approve\n\nLooks good.", by=MAINTAINER)
    await stage.settle()
    await stage.say(thread, "/approve", by=robin)
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-A-11
@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_an_approval_that_had_its_effect_is_taken_back_too_late_and_that_is_said_once(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    spoken = await stage.say(thread, "/approve")
    await stage.ended(thread)
    await stage.tracker.edit_comment(REPOSITORY, spoken, "I take that back.", by=MAINTAINER)
    await stage.said(thread, "had taken effect before it was taken back")
    await stage.tracker.delete_comment(REPOSITORY, spoken, by=MAINTAINER)
    await stage.settle()
    assert sum("had taken effect" in body for body in await stage.ours(thread)) == 1
    assert runs(stage.directory) == 1


# gh-K-07
@silent_only
@behaves(RECORD, gates=NAMED)
async def test_who_takes_over_the_name_of_somebody_who_may_decide_may_not(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.tracker.rename_user(MAINTAINER, "mika-m")
    await writer(stage, MAINTAINER)
    stage.clock.advance(10 * SECOND)
    await stage.say(thread, "/approve", by=MAINTAINER)
    await stage.said(thread, "may decide")
    await stage.settle()
    assert await waiting(stage, thread)
    await stage.say(thread, "/approve", by="mika-m")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-K-05, gh-K-06
@silent_only
@behaves(RECORD, gates=TEAM)
async def test_a_team_decides_by_its_members_of_the_moment(stage: Stage) -> None:
    await stage.tracker.set_team("acme", "core", READER)
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/approve", by=MAINTAINER)
    await stage.said(thread, "acme/core may decide")
    stage.faults.refuse("GET", r"/orgs/acme/teams/core.*")
    await stage.say(thread, "/approve", by=READER)
    await stage.said(thread, "could not be checked")
    stage.faults.heal()
    assert await waiting(stage, thread)
    await stage.say(thread, "/approve", by=READER)
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-P-09, ag-E04, ag-E18
@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_what_looks_like_a_command_and_is_none_is_answered_once(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    for _ in range(2):
        await stage.say(thread, "`/approve`")
        await stage.say(thread, "/aprove")
        await stage.say(thread, "/approve deny")
    await stage.say(thread, "/usr/bin is full")
    await stage.said(thread, "could mean either")
    await stage.settle()
    said = await stage.ours(thread)
    for hint in ("`/approve` in backticks", "there is no `/aprove`", "`/approve` with `deny`"):
        assert sum(hint in body for body in said) == 1
    assert await waiting(stage, thread)
    assert len(said) == 5


async def proposed(stage: Stage) -> Thread:
    """Open a pull request as the developer, with the label that asks to look at it."""
    await stage.tracker.commit(REPOSITORY, BRANCH, {"new.py": "print(1)\n"}, by=DEVELOPER)
    opened = await stage.tracker.open_pull(REPOSITORY, by=DEVELOPER, title="Add it", head=BRANCH)
    thread = Thread(stage.people[DEVELOPER], REPOSITORY, opened.number)
    await stage.label(thread, "run:review-pr")
    await stage.labelled(thread, "hold:gate")
    return thread


def gated(gates: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", [Reviewer(reads=SAYS, gates=gates)], ids=[""])


# ag-D10, gh-A-07
@gated(TWO)
async def test_a_review_and_a_comment_approve_together(stage: Stage) -> None:
    robin = await writer(stage, "robin")
    thread = await proposed(stage)
    await stage.say(thread, "/approve")
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", "Fine by me.", by=MAINTAINER)
    await stage.said(thread, "you have decided this already")
    assert await waiting(stage, thread)
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", "Fine by me.", by=robin)
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-A-07, gh-A-11
@gated(TWO)
@pytest.mark.parametrize("how", ["dismissed", "replaced"])
async def test_a_review_that_was_dismissed_or_replaced_counts_no_more(stage: Stage, how: str) -> None:
    robin = await writer(stage, "robin")
    thread = await proposed(stage)
    review = await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", by=MAINTAINER)
    await stage.said(thread, "So far")
    if how == "dismissed":
        await stage.tracker.dismiss_review(REPOSITORY, thread.number, review.id, by=DEVELOPER)
    else:
        await stage.tracker.review(REPOSITORY, thread.number, "COMMENT", "One more word.", by=MAINTAINER)
        await stage.tracker.review(REPOSITORY, thread.number, "REQUEST_CHANGES", "Not yet.", by=MAINTAINER)
    await stage.said(thread, "took it back")
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", by=robin)
    await stage.settle()
    assert await waiting(stage, thread)
    await stage.say(thread, "/approve")
    await stage.ended(thread)


# gh-A-01, gh-A-03
@webhooks_only
@gated(APPROVED)
async def test_a_review_of_a_commit_that_is_not_the_head_any_more_is_out_of_date(stage: Stage) -> None:
    thread = await proposed(stage)
    before = (await stage.tracker.pull(REPOSITORY, thread.number)).head_sha
    await stage.tracker.commit(REPOSITORY, BRANCH, {"new.py": "print(2)\n"}, by=DEVELOPER)
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", by=MAINTAINER, commit=before)
    await stage.said(thread, "Out of date")
    # What is asked now is about the new head, and this review is not.
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", by=MAINTAINER, commit=before)
    await stage.settle()
    assert await waiting(stage, thread)
    await stage.tracker.review(REPOSITORY, thread.number, "APPROVE", by=MAINTAINER)
    await stage.ended(thread)
    assert runs(stage.directory) == 1


# gh-A-05
@webhooks_only
@behaves(f"{RECORD}; {COMMIT}", default="review", gates=APPROVED)
async def test_a_review_of_what_was_made_starts_nothing_that_waits_in_the_issue(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/approve")
    await stage.labelled(thread, "state:review")
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    await stage.label(thread)
    await stage.labelled(thread, "hold:gate")
    _, again = await stage.works(thread)
    assert again.pull_request is not None
    await stage.tracker.review(REPOSITORY, again.pull_request, "APPROVE", "Good.", by=MAINTAINER)
    await stage.settle()
    _, again = await stage.works(thread)
    assert (again.state, again.attempts) == (WorkState.READY, 0)
    pull = Thread(stage.people[MAINTAINER], REPOSITORY, again.pull_request or 0)
    assert await stage.ours(pull) == []
