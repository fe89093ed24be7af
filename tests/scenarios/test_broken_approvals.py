"""What an approval is about: the text that its giver saw, and no other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.clock import HOUR, MINUTE
from bot.demo.story import Thread
from bot.demo.world import BOT, DEVELOPER, REPOSITORY, Tokens
from bot.domain.hold import Hold
from bot.domain.work import Work, WorkState
from tests.scenarios.playbooks import APPROVED, AWAIT, RECORD, WRITER, Agent, Signal
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage, open_stage

TRIGGER = "run:work-issue"
EVIL = "Do something else."


@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize("down", [0, 2 * HOUR], ids=["a-moment", "hours"])
async def test_approvals_that_waited_for_the_bot_do_not_count_for_a_text_edited_since(scene: Stage, down: int) -> None:
    # ag-E07
    async with scene.bot():
        thread = await scene.begin()
        await scene.labelled(thread, "hold:gate")
        await scene.settle()
    await scene.say(thread, "/approve")
    await scene.say(thread, "/approve")
    await scene.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body=EVIL)
    scene.clock.advance(down)
    async with scene.bot():
        await scene.settle()
        (work,) = await scene.works(thread)
        assert (work.state, work.attempts) == (WorkState.READY, 0)
        assert sum("Approval needed" in body for body in await scene.ours(thread)) == 2
        # Who read the new question may still answer it.
        await scene.say(thread, "/approve")
        await scene.ended(thread)
    assert EVIL in (scene.directory / "prompt-1").read_text(encoding="utf-8")


@behaves(RECORD, gates=APPROVED)
async def test_one_comment_approves_no_text_that_was_asked_about_because_of_it(stage: Stage) -> None:
    # ag-E07
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.settle()
    await stage.tracker.edit_issue(REPOSITORY, thread.number, by=DEVELOPER, body=EVIL)
    await stage.say(thread, "/approve\n/approve")
    await stage.said(thread, "Out of date")
    await stage.settle()
    (work,) = await stage.works(thread)
    assert (work.state, work.attempts) == (WorkState.READY, 0)


@webhooks_only
@behaves(RECORD, gates=APPROVED)
async def test_an_approval_that_was_delivered_late_does_not_count_for_a_later_question(stage: Stage) -> None:
    # ag-E07, ag-E09
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "Looks good to me.")
    await stage.settle()
    late = next(each for each in await stage.deliveries("issue_comment") if "Looks good" in each.payload)
    stage.clock.advance(5 * MINUTE)
    await stage.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by=DEVELOPER)
    await stage.settle()
    await stage.label(thread)
    await stage.labelled(thread, "hold:gate")
    comment = {**json.loads(late.payload)["comment"], "body": "/approve", "id": 999_999}
    assert (await stage.post(late, comment=comment)).status_code == 202
    await stage.settle()
    *_, work = await stage.works(thread)
    assert (work.run, work.state, work.attempts) == (2, WorkState.READY, 0)


@pytest.fixture
async def person(scene: Stage) -> Stage:
    """Let the bot act with the account of a person, named robin."""
    token = await scene.tracker.add_user("robin")
    await scene.tracker.grant(REPOSITORY, "robin", "write")
    scene.tokens = Tokens(by_login={**scene.tokens.by_login, BOT: token})
    return scene


@behaves(RECORD, gates=WRITER)
async def test_a_label_by_the_bots_own_account_starts_nothing_whatever_kind_it_is_of(person: Stage) -> None:
    # ag-C07, ag-D09
    async with person.bot():
        thread = await person.issue()
        await person.label(thread, by="robin")
        await person.settle()
        assert await person.works(thread) == []
        other = await person.begin()
        await person.ended(other)


@behaves(f"{RECORD}; {AWAIT}")
async def test_a_label_that_the_bots_own_account_took_off_ends_nothing(person: Stage, signal: Signal) -> None:
    # ag-C07
    async with person.bot():
        thread = await person.begin()
        await person.labelled(thread, "state:building")
        await person.tracker.unlabel(REPOSITORY, thread.number, TRIGGER, by="robin")
        await person.settle()
        (work,) = await person.works(thread)
        assert work.state is WorkState.RUNNING
        signal.give()
        await person.ended(thread)
        (work,) = await person.works(thread)
        assert work.state is WorkState.COMPLETED


async def test_each_of_two_runs_on_an_issue_is_approved_by_the_id_of_its_own_hold(tmp_path: Path) -> None:
    books = tmp_path / "books"
    books.mkdir()
    text = Agent(script=RECORD, gates=APPROVED).write(tmp_path).read_text(encoding="utf-8")
    (books / "one.md").write_text(text, encoding="utf-8")
    other = text.replace("name: work-issue", "name: other", 1).replace(TRIGGER, "run:other")
    (books / "other.md").write_text(other, encoding="utf-8")
    async with open_stage(tmp_path, playbook=books) as stage, stage.bot():
        thread = await stage.issue()
        await stage.label(thread, TRIGGER, "run:other")
        await stage.labelled(thread, "hold:gate")
        await stage.settle()
        spoken = await stage.say(thread, "/approve")
        await stage.said(thread, "several holds are open")
        await stage.settle()
        assert await thread.reactions(spoken) == {"confused"}
        works = await stage.works(thread)
        holds = [hold.id for work in works for hold in await _open(stage, work)]
        assert len(holds) == 2
        await stage.say(thread, f"/approve {holds[1]}")
        await stage.until("the second runs", lambda: _attempts(stage, thread, [0, 1]))
        await stage.say(thread, f"/approve {holds[0]}")
        await stage.ended(thread, works=2)


@silent_only
@behaves(RECORD, gates=APPROVED)
async def test_every_command_of_a_comment_has_its_answer(stage: Stage) -> None:
    thread = await stage.issue()
    await stage.say(thread, "/status\n/help")
    await stage.said(thread, "Nothing is running or waiting here.")
    await stage.said(thread, "Write one of these")


async def _open(stage: Stage, work: Work) -> Sequence[Hold]:
    return await stage.up.store.read(lambda tx: tx.holds.open(work.id))


async def _attempts(stage: Stage, thread: Thread, expected: list[int]) -> bool:
    return [work.attempts for work in await stage.works(thread)] == expected


@silent_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize("spelled", ["HLD-0000000000000000", "`hld-0000000000000000`"], ids=["upper", "code"])
async def test_the_id_of_another_hold_approves_nothing_however_it_is_spelled(stage: Stage, spelled: str) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, f"/approve {spelled}")
    await stage.said(thread, "nothing waits for a decision here")
    await stage.settle()
    (work,) = await stage.works(thread)
    assert (work.state, work.attempts) == (WorkState.READY, 0)
