"""Budgets as people meet them: what is used is shown, what is used up is held, and people allow more."""

from __future__ import annotations

import pytest

from bot.clock import MINUTE
from bot.demo.story import Thread
from bot.demo.world import DEVELOPER
from bot.domain.event import Routing
from bot.scheduler.notices import WARNING
from tests.scenarios.playbooks import RECORD, runs
from tests.scenarios.scenes import behaves, silent_only, webhooks_only
from tests.scenarios.stage import Stage

FIVE = f'{RECORD}; trackside turn help --comment "Which of the two?" --used usd=5'
"""An agent that uses five dollars, then asks."""
OF_FIVE = "[{unit: usd, max: 5, warn_at: 0.8}]"


async def _asked(stage: Stage) -> Thread:
    """Let an agent ask for the first time."""
    thread = await stage.begin()
    await stage.labelled(thread, "state:help")
    await stage.settle()
    return thread


async def _over(stage: Stage, thread: Thread) -> None:
    """Answer the agent, which leaves it over its budget."""
    await stage.say(thread, "The first one.")
    await stage.labelled(thread, "hold:budget")
    await stage.settle()


async def _gone(stage: Stage, thread: Thread) -> None:
    async def check() -> bool:
        return "hold:budget" not in await thread.labels()

    await stage.until("not held any more", check)


async def _ran(stage: Stage, thread: Thread, times: int) -> None:
    async def check() -> bool:
        return runs(stage.directory) == times

    await stage.until(f"ran {times} times", check)
    await stage.labelled(thread, "state:help")
    await stage.settle()


@behaves(FIVE, budgets=OF_FIVE)
async def test_a_budget_that_is_used_up_holds_until_people_allow_one_more_start_or_raise_it(stage: Stage) -> None:
    # ag-H05, C-172, C-174
    thread = await _asked(stage)
    assert "5.00 USD of 5" in (await stage.ours(thread))[0]
    await _over(stage, thread)
    assert runs(stage.directory) == 1
    sticky, *_, ask = await stage.ours(thread)
    for text in (sticky, ask):
        assert "**Over budget**" in text
        assert "5.00 of 5.00 USD used on this issue." in text
        assert "`/approve` allows one more turn." in text
        assert "`/budget +5 usd` raises the cap." in text

    approved = await stage.say(thread, "/approve")
    await _ran(stage, thread, 2)
    assert await thread.reactions(approved) == {"eyes", "+1"}
    assert "10.00 USD of 5" in (await stage.ours(thread))[0]

    await _over(stage, thread)
    assert runs(stage.directory) == 2, "one more start was allowed, not two"
    raised = await stage.say(thread, "/budget +6.50 usd")
    await _gone(stage, thread)
    await _ran(stage, thread, 3)
    assert await thread.reactions(raised) == {"eyes", "+1"}
    assert await thread.says("work-issue may use 11.50 usd on this issue now; it goes on by itself.")
    assert "15.00 USD of 11.5" in (await stage.ours(thread))[0]
    await stage.say(thread, "/cancel")
    await stage.ended(thread)


@silent_only
@behaves(FIVE, budgets=OF_FIVE)
async def test_nobody_raises_a_budget_beyond_what_the_operator_allows_or_without_access(stage: Stage) -> None:
    thread = await _asked(stage)
    await _over(stage, thread)
    refused = await stage.say(thread, "/budget +7.01 usd")
    await stage.said(thread, "the budget was not raised: at most 12.00 usd are allowed here for one issue")
    assert await thread.reactions(refused) == {"confused"}
    await stage.say(thread, "/budget +1 usd", by=DEVELOPER)
    await stage.said(thread, "maintain access is needed")
    await stage.settle()
    assert "hold:budget" in await thread.labels()
    assert runs(stage.directory) == 1


@webhooks_only
@behaves(FIVE, budgets=OF_FIVE)
@pytest.mark.parametrize("command", ["/approve", "/release"])
async def test_what_was_delivered_late_lets_nothing_start_over_a_budget_that_held_later(
    stage: Stage, command: str
) -> None:
    # ag-E07, C-174
    thread = await _asked(stage)
    doorway, stage.doorway.app = stage.doorway.app, None
    await stage.say(thread, command)
    await stage.settle()
    stage.doorway.app = doorway
    late = (await stage.deliveries("issue_comment", "created"))[-1]
    stage.clock.advance(5 * MINUTE)
    await _over(stage, thread)
    assert (await stage.send(late)).status_code == 202
    await stage.said(thread, "so your answer was not counted")
    await stage.settle()
    assert "hold:budget" in await thread.labels()
    assert runs(stage.directory) == 1
    await stage.say(thread, "/approve")
    await _ran(stage, thread, 2)


@silent_only
@behaves(FIVE, budgets=OF_FIVE)
async def test_each_reason_why_a_budget_was_not_raised_is_told(stage: Stage) -> None:
    thread = await _asked(stage)
    await stage.say(thread, "/budget 5 usd")
    await stage.said(thread, "the budget was not raised: say by how much")
    await stage.say(thread, "/budget +8 usd")
    await stage.said(thread, "the budget was not raised: at most 12.00 usd are allowed here for one issue")


@silent_only
@behaves(FIVE, budgets=OF_FIVE)
async def test_what_a_budget_holds_is_not_refused_and_takes_input_meanwhile(stage: Stage) -> None:
    # C-173
    thread = await _asked(stage)
    await _over(stage, thread)
    await stage.say(thread, "/refuse too expensive")
    await stage.said(thread, "`/approve` allows one more start, `/cancel` ends it.")
    await stage.say(thread, "And mind the tests.")
    await stage.settle()
    assert runs(stage.directory) == 1
    await stage.say(thread, "/approve")
    await _ran(stage, thread, 2)
    prompt = (stage.directory / "prompt-2").read_text()
    assert "The first one." in prompt
    assert "And mind the tests." in prompt


@silent_only
@behaves(FIVE, budgets="[{unit: usd, max: 6, warn_at: 0.8}]")
async def test_a_warning_is_an_event_and_stands_in_the_status_comment_and_no_comment_is_made_for_it(
    stage: Stage,
) -> None:
    # C-176, C-177
    thread = await _asked(stage)
    before = await stage.ours(thread)
    assert "5.00 USD of 6" in before[0]
    routed = await stage.up.store.read(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    assert [event.data["used"] for event in routed if event.type == WARNING] == [5.0]
    assert len(before) == 2, "the status comment, and the question"
    await stage.settle()
    assert await stage.ours(thread) == before


@silent_only
@behaves(FIVE)
async def test_without_a_budget_nothing_is_held(stage: Stage) -> None:
    # C-179, C-196
    thread = await _asked(stage)
    await stage.say(thread, "The first one.")
    await _ran(stage, thread, 2)
    assert "hold:budget" not in await thread.labels()
    assert "10.00 USD" in (await stage.ours(thread))[0]
    await stage.say(thread, "/budget +1 usd")
    await stage.said(thread, "there is no budget of usd for this issue alone")
