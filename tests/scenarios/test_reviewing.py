"""A label on a pull request: an agent looks at its head, and says what it found in the thread."""

from __future__ import annotations

import subprocess

import pytest

from bot.demo.story import Thread
from bot.demo.world import DEVELOPER, MAINTAINER, REPOSITORY
from bot.domain.work import Work, WorkState
from bot.trackers.embedded.values import Pull
from tests.scenarios.playbooks import APPROVED, COMMIT, RECORD, TWO, Reviewer, runs
from tests.scenarios.scenes import silent_only, webhooks_only
from tests.scenarios.stage import Stage

LABEL = "run:review-pr"
BRANCH = "feature"
SAYS = 'git rev-parse HEAD | sed "s/^/It is fine at /" | trackside turn reviewed --comment-file -'
READS = f"{RECORD}; {SAYS}"


WORKS = f"{RECORD}; echo $TRACKSIDE_ATTEMPT > attempt; git add --all; {COMMIT}"


def reviewer(reads: str = READS, **agent: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("agent", [Reviewer(reads=reads, **agent)], ids=[""])


async def proposed(
    stage: Stage, *, label: bool = True, body: str | None = None, draft: bool = False
) -> tuple[Thread, Pull]:
    """Open a pull request as the developer, with the label that asks for a review."""
    await stage.tracker.commit(REPOSITORY, BRANCH, {"new.py": "print(1)\n"}, by=DEVELOPER)
    opened = await stage.tracker.open_pull(
        REPOSITORY, by=DEVELOPER, title="Add it", head=BRANCH, body=body, draft=draft
    )
    thread = Thread(stage.people[DEVELOPER], REPOSITORY, opened.number)
    if label:
        await stage.label(thread, LABEL)
    return thread, await stage.tracker.pull(REPOSITORY, opened.number)


async def pushed(stage: Stage, text: str) -> str:
    commit = await stage.tracker.commit(REPOSITORY, BRANCH, {"new.py": text}, by=DEVELOPER)
    await stage.tracker.refresh(REPOSITORY)
    return commit


async def reworded(stage: Stage) -> str:
    """Push the same change by force, as another commit."""
    git = ["git", "--git-dir", str(stage.directory / "git" / f"{REPOSITORY}.git")]
    who = ["-c", "user.name=Dana", "-c", "user.email=dana@tracker.test"]
    made = subprocess.run(  # noqa: ASYNC221 - fixed words; nothing else runs here meanwhile
        [*git, *who, "commit-tree", f"{BRANCH}^{{tree}}", "-p", f"{BRANCH}^", "-m", "Said better"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    subprocess.run([*git, "update-ref", f"refs/heads/{BRANCH}", made], check=True)  # noqa: ASYNC221 - as above
    await stage.tracker.refresh(REPOSITORY)
    return made


async def the_work(stage: Stage, thread: Thread) -> Work:
    (work,) = await stage.works(thread)
    return work


@reviewer()
async def test_a_label_on_a_pull_request_has_its_head_looked_at(stage: Stage) -> None:
    thread, pull = await proposed(stage)
    await stage.ended(thread)

    work = await the_work(stage, thread)
    assert (work.kind, work.state, work.attempts) == ("review-pr", WorkState.COMPLETED, 1)
    assert await thread.says(f"It is fine at {pull.head_sha}")
    assert await thread.labels() == {"state:reviewed"}
    prompt = (stage.directory / "prompt-1").read_text(encoding="utf-8")
    assert f"at {pull.head_sha} into main, trusted\n" in prompt
    # ag-D11: what an agent thinks of a change is no review, so that it approves nothing.
    assert await stage.tracker.reviews(REPOSITORY, pull.number) == ()
    sticky, said = await stage.ours(thread)
    assert "**Done** · review-pr" in sticky
    assert f"of commit `{pull.head_sha[:7]}`" in said


@webhooks_only
@reviewer(f"git commit --quiet --allow-empty --message Mine; git push --quiet origin HEAD || {READS}")
async def test_what_a_reviewer_commits_goes_nowhere(stage: Stage) -> None:
    # ag-D12: nothing is pushed to what is only looked at.
    thread, pull = await proposed(stage)
    await stage.ended(thread)
    assert (await stage.tracker.pull(REPOSITORY, pull.number)).head_sha == pull.head_sha
    found = await stage.people[MAINTAINER].call("GET", f"/repos/{REPOSITORY}/pulls?state=all")
    assert [each["number"] for each in found] == [pull.number]


@silent_only
@reviewer()
async def test_a_playbook_for_the_other_kind_of_item_starts_nothing_and_says_so_once(stage: Stage) -> None:
    pull, _ = await proposed(stage, label=False)
    issue = await stage.issue()
    await stage.label(pull, "run:work-issue")
    await stage.label(issue, LABEL)
    await stage.said(pull, "is for issues, and this is a pull request")
    await stage.said(issue, "is for pull requests, and this is an issue")
    await stage.tracker.unlabel(REPOSITORY, pull.number, "run:work-issue", by=DEVELOPER)
    await stage.settle()
    await stage.label(pull, "run:work-issue")
    await stage.settle()
    assert len(await stage.ours(pull)) == 1
    assert [*await stage.works(pull), *await stage.works(issue)] == []


@reviewer(gates=APPROVED)
async def test_a_review_that_is_held_names_the_commit_and_starts_when_that_is_approved(stage: Stage) -> None:
    # gh-P-02: what the description of a pull request says is never a command.
    thread, pull = await proposed(stage, body="/approve")
    await stage.said(thread, f"An agent will look at commit `{pull.head_sha[:7]}`")
    await stage.settle()
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert await thread.says(f"It is fine at {pull.head_sha}")


@reviewer(gates=APPROVED)
async def test_a_push_before_the_approval_makes_it_stale_and_the_new_head_is_asked_about(stage: Stage) -> None:
    # gh-A-01, gh-A-03, gh-A-04, gh-A-09, ag-E07, gh-D-07
    thread, _ = await proposed(stage)
    await stage.said(thread, "Approval needed to start")
    # What the delivery tells is not what decides: none has arrived when the approval is read.
    head = await pushed(stage, "print(2)\n")
    await stage.say(thread, "/approve")
    await stage.said(thread, "your answer was not counted")
    await stage.said(thread, f"An agent will look at commit `{head[:7]}`")
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    assert await thread.says(f"It is fine at {head}")
    assert runs(stage.directory) == 1


@webhooks_only
@reviewer(gates=TWO)
async def test_the_same_change_pushed_by_force_keeps_what_was_approved_and_says_so(stage: Stage) -> None:
    # gh-A-08
    thread, pull = await proposed(stage)
    await stage.tracker.grant(REPOSITORY, "remy", "write")
    await stage.said(thread, "Approval needed to start")
    await stage.say(thread, "/approve")
    await stage.said(thread, "So far")
    head = await reworded(stage)
    assert head != pull.head_sha
    await stage.say(thread, "/approve", by="remy")
    await stage.ended(thread)
    assert await thread.says(f"It is fine at {head}")
    assert await thread.says(f"The same change stands at commit `{head[:7]}` now")


@webhooks_only
@reviewer()
async def test_a_draft_is_looked_at_as_any_other_and_what_becomes_of_it_then_starts_nothing(stage: Stage) -> None:
    # ag-A13
    thread, pull = await proposed(stage, draft=True)
    await stage.ended(thread)
    await stage.tracker.ready(REPOSITORY, pull.number, by=DEVELOPER)
    await pushed(stage, "print(2)\n")
    await stage.tracker.close(REPOSITORY, pull.number, by=DEVELOPER)
    await stage.settle()
    await stage.tracker.reopen(REPOSITORY, pull.number, by=DEVELOPER)
    await stage.settle()
    assert (await the_work(stage, thread)).state is WorkState.COMPLETED
    assert runs(stage.directory) == 1
    # Asked for once more, the new head is what is looked at.
    await stage.label(thread, LABEL)
    await stage.ended(thread, works=2)
    assert await thread.says(f"It is fine at {(await stage.tracker.pull(REPOSITORY, pull.number)).head_sha}")


@webhooks_only
@reviewer("sleep 3600")
async def test_a_merge_while_it_is_looked_at_ends_the_run_as_done(stage: Stage) -> None:
    thread, pull = await proposed(stage)
    await stage.labelled(thread, "state:reviewing")
    await stage.tracker.merge(REPOSITORY, pull.number, by=MAINTAINER)
    await stage.ended(thread)
    work = await the_work(stage, thread)
    assert (work.state, work.reason) == (WorkState.COMPLETED, f"pull request #{pull.number} merged")


@silent_only
@reviewer(gates=APPROVED)
async def test_a_pull_request_that_is_closed_or_loses_its_label_is_not_looked_at(stage: Stage) -> None:
    # ag-F01, ag-F03
    thread, pull = await proposed(stage)
    await stage.said(thread, "Approval needed to start")
    await stage.tracker.unlabel(REPOSITORY, pull.number, LABEL, by=DEVELOPER)
    await stage.ended(thread)
    await stage.label(thread, LABEL)
    await stage.labelled(thread, "hold:gate")
    await stage.tracker.close(REPOSITORY, pull.number, by=DEVELOPER)
    await stage.ended(thread, works=2)
    assert [work.state for work in await stage.works(thread)] == [WorkState.CANCELLED] * 2
    assert runs(stage.directory) == 0


OWN = '{label: "run:review-pr", pull_request: own}'


@reviewer(f'cp "$TRACKSIDE_PROMPT" "$STAGE/review"; {SAYS}', script=WORKS, default="review", on=OWN)
async def test_our_own_new_pull_request_is_looked_at_once_for_the_person_behind_it(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "state:review")
    (made,) = await stage.works(thread)
    assert made.pull_request is not None
    pull = Thread(stage.people[DEVELOPER], REPOSITORY, made.pull_request)
    await stage.ended(pull)

    review = await the_work(stage, pull)
    assert (review.kind, review.starter, review.by_label) == ("review-pr", made.starter, False)
    assert await pull.labels() == {"state:reviewed"}
    head = (await stage.tracker.pull(REPOSITORY, pull.number)).head_sha
    assert await pull.says(f"It is fine at {head}")
    # What a run of ours wrote directs nobody.
    assert (stage.directory / "review").read_text(encoding="utf-8").endswith(f" at {head} into main\n")
    # What it says is no input to the work that made the change, and what that pushes next starts nothing (ag-C01).
    await stage.tracker.review(REPOSITORY, pull.number, "REQUEST_CHANGES", "Say it louder.", by=MAINTAINER)
    await stage.until("a second attempt", lambda: _waits(stage, thread, 2))
    await stage.settle()
    assert len(await stage.works(pull)) == 1
    assert (await stage.tracker.pull(REPOSITORY, pull.number)).head_sha != head


async def _waits(stage: Stage, thread: Thread, attempts: int) -> bool:
    work = await the_work(stage, thread)
    return work.state is WorkState.WAITING and work.attempts == attempts


@webhooks_only
@reviewer(script=WORKS, default="review", gates=APPROVED)
async def test_what_is_held_in_the_issue_can_be_approved_on_its_pull_request(stage: Stage) -> None:
    thread = await stage.begin()
    await stage.said(thread, "Approval needed to start")
    await stage.say(thread, "/approve")
    await stage.labelled(thread, "state:review")
    (first,) = await stage.works(thread)
    assert first.pull_request is not None
    await stage.say(thread, "/cancel")
    await stage.ended(thread)
    await stage.label(thread)
    await stage.labelled(thread, "hold:gate")
    await stage.tracker.comment(REPOSITORY, first.pull_request, "/approve", by=MAINTAINER)
    await stage.labelled(thread, "state:review")
    second = (await stage.works(thread))[-1]
    assert (second.run, second.attempts, second.pull_request) == (2, 1, first.pull_request)
