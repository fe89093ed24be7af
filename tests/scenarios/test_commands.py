"""Commands: what counts as one, what each does, and that each is answered, once."""

from __future__ import annotations

import pytest

from bot.demo import story
from bot.demo.world import DEVELOPER, MAINTAINER, READER, REPOSITORY
from bot.domain.work import WorkState
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, TWO, Signal, runs
from tests.scenarios.scenes import behaves, one_slot, silent_only, webhooks_only
from tests.scenarios.stage import Stage


async def _held(stage: Stage, body: str = "It says wrold.") -> story.Thread:
    thread = await stage.begin(body=body)
    await stage.until("held", lambda: story.held(thread))
    await stage.settle()
    return thread


async def _count(stage: Stage, thread: story.Thread, text: str) -> int:
    return sum(text in body for body in await stage.ours(thread))


@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize(
    "body",
    [
        "> /approve\n\nLet me think about this first.",
        "Write `/approve` when you are ready.",
        "```\n/approve\n```",
        "An example:\n\n    /approve",
        "<!--\n/approve\n-->",
        "- /approve",
        "/approve-all",
        "/octokit/approve",
        "See https://example.com/approve or /etc/approve",
        "I /approve",
    ],
    ids=["quote", "code", "fence", "indented", "hidden", "list", "longer", "path", "address", "inside"],
)
@silent_only
async def test_a_command_that_is_only_shown_does_nothing_at_all(stage: Stage, body: str) -> None:
    # ag-E01, ag-E05
    thread = await _held(stage)
    before = await stage.ours(thread)
    spoken = await stage.say(thread, body)
    await stage.settle()
    assert await thread.reactions(spoken) == set()
    assert await stage.ours(thread) == before
    assert "hold:gate" in await thread.labels()
    assert runs(stage.directory) == 0


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_command_below_a_quote_counts(stage: Stage) -> None:
    # ag-E01
    thread = await _held(stage)
    spoken = await stage.say(thread, "> Shall it start?\n> /refuse no\n\n/approve")
    await stage.ended(thread)
    assert await thread.reactions(spoken) == {"eyes", "+1"}
    assert runs(stage.directory) == 1


@behaves(RECORD, gates=APPROVED)
async def test_a_command_that_an_edit_adds_is_to_be_posted_anew(stage: Stage) -> None:
    # ag-E06
    thread = await _held(stage)
    spoken = await stage.say(thread, "Looks fine.")
    await stage.settle()
    stage.clock.advance(60_000)
    await stage.tracker.edit_comment(REPOSITORY, spoken, "Looks fine.\n\n/approve", by=MAINTAINER)
    await stage.said(thread, "Please post a new comment")
    await stage.settle()
    assert runs(stage.directory) == 0
    assert await _count(stage, thread, "Please post a new comment") == 1


@behaves(RECORD, gates=APPROVED)
async def test_an_edit_of_an_old_command_does_nothing_at_all(stage: Stage) -> None:
    # ag-E06, gh-P-03, gh-P-05
    thread = await _held(stage)
    spoken = await stage.say(thread, "/status")
    await stage.said(thread, "**work-issue**: Held")
    await stage.settle()
    before, reactions = await stage.ours(thread), await thread.reactions(spoken)
    for text in ("Where are we?\n\n/status", "/status\n\nThank you."):
        stage.clock.advance(60_000)
        await stage.tracker.edit_comment(REPOSITORY, spoken, text, by=MAINTAINER)
        await stage.settle()
    assert await stage.ours(thread) == before
    assert await thread.reactions(spoken) == reactions


@behaves(RECORD, gates=APPROVED)
async def test_an_approval_of_a_text_that_has_changed_is_stale(stage: Stage) -> None:
    # ag-E07
    thread = await _held(stage, "Say hello.")
    stage.clock.advance(60_000)
    await stage.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body="Delete everything.")
    spoken = await stage.say(thread, "/approve")
    await stage.said(thread, "has changed since, so your answer was not counted")
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    assert await _count(stage, thread, "Approval needed") == 2
    assert await _count(stage, thread, "Out of date") == 1
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    prompt = (stage.directory / "prompt-1").read_text(encoding="utf-8")
    assert "Delete everything." in prompt
    assert "Say hello." not in prompt


@silent_only
@behaves(RECORD, default="help", gates=APPROVED)
async def test_later_attempts_are_told_the_text_that_was_approved(stage: Stage) -> None:
    # ag-E07
    thread = await _held(stage, "Say hello.")
    await stage.say(thread, "/approve")
    await stage.labelled(thread, "state:help")
    await stage.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body="Delete everything.")
    await stage.say(thread, "Go on, please.")
    await stage.until("asked again", lambda: _attempts(stage, thread, 2))
    await stage.settle()
    prompt = (stage.directory / "prompt-2").read_text(encoding="utf-8")
    assert "Say hello." in prompt
    assert "Go on, please." in prompt
    assert "Delete everything." not in prompt


async def _attempts(stage: Stage, thread: story.Thread, count: int) -> bool:
    (work,) = await stage.works(thread)
    return work.attempts == count and work.state is WorkState.WAITING


@webhooks_only
@one_slot
@behaves(f"{RECORD}; {AWAIT}", gates=APPROVED)
async def test_a_text_that_changes_between_approval_and_start_is_asked_about_anew(stage: Stage, signal: Signal) -> None:
    # ag-E07
    busy = await _held(stage)
    thread = await _held_later(stage, busy, "Say hello.")
    await stage.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body="Delete everything.")
    signal.give()
    await stage.ended(busy)
    await stage.until("asked anew", lambda: story.held(thread))
    await stage.settle()
    assert runs(stage.directory) == 1
    await stage.say(thread, "/refuse not that")
    await stage.ended(thread)


async def _held_later(stage: Stage, busy: story.Thread, body: str) -> story.Thread:
    """Hold a second issue, start the first one, and approve the second while there is no slot for it."""
    thread = await _held(stage, body)
    await stage.say(busy, "/approve")
    await stage.at_work(busy)
    await stage.say(thread, "/approve")
    await stage.said(thread, "Waiting for a free slot")
    await stage.settle()
    return thread


@webhooks_only
@behaves(RECORD, gates=TWO)
async def test_one_person_is_not_two(stage: Stage) -> None:
    await stage.tracker.add_user("nina")
    await stage.tracker.grant(REPOSITORY, "nina", "write")
    thread = await _held(stage)
    first = await stage.say(thread, "/approve")
    await stage.settle()
    again = await stage.say(thread, "/approve")
    await stage.said(thread, "you have decided this already")
    await stage.settle()
    assert await thread.reactions(first) == {"eyes", "+1"}
    assert await thread.reactions(again) == {"confused"}
    assert runs(stage.directory) == 0
    await stage.say(thread, "/approve", by="nina")
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_an_approval_that_comes_late_is_answered(stage: Stage) -> None:
    thread = await _held(stage)
    await stage.say(thread, "/approve")
    await stage.ended(thread)
    await stage.say(thread, "/approve")
    await stage.said(thread, "nothing waits for a decision here")
    await stage.settle()
    assert runs(stage.directory) == 1


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_the_starter_may_not_approve_their_own(stage: Stage) -> None:
    thread = await _held(stage)
    await stage.say(thread, "/approve", by=DEVELOPER)
    await stage.said(thread, "a second person is needed")
    await stage.settle()
    assert runs(stage.directory) == 0


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_a_refusal_needs_a_reason(stage: Stage) -> None:
    # gh-P-06
    thread = await _held(stage)
    spoken = await stage.say(thread, "/refuse")
    await stage.said(thread, "a refusal needs its reason")
    await stage.settle()
    assert await thread.reactions(spoken) == {"confused"}
    assert "hold:gate" in await thread.labels()
    await stage.say(thread, "/refuse it is out of scope")
    await stage.ended(thread)
    assert await thread.says("it is out of scope") or await thread.says("It is out of scope")
    assert runs(stage.directory) == 0


@behaves(RECORD, gates=APPROVED)
async def test_help_and_status_are_answered_once_for_each_comment(stage: Stage) -> None:
    thread = await _held(stage)
    await stage.say(thread, "/help", by=READER)
    await stage.said(thread, "Write one of these")
    await stage.say(thread, "/status", by=READER)
    await stage.said(thread, "**work-issue**: Held")
    await stage.say(thread, "/Status", by=READER)
    await stage.settle()
    assert await _count(stage, thread, "Write one of these") == 1
    assert await _count(stage, thread, "**work-issue**: Held") == 2


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_a_misspelt_command_is_hinted_at_once(stage: Stage) -> None:
    # ag-E18
    thread = await _held(stage)
    for word in ("/approved", "/aprove"):
        await stage.say(thread, word)
        await stage.said(thread, "Did you mean")
        await stage.settle()
    assert await _count(stage, thread, "Did you mean `/approve`?") == 1
    assert runs(stage.directory) == 0
