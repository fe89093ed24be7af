"""A machine whose clock was wrong, and is set back."""

from __future__ import annotations

import pytest

from bot.clock import HOUR, SECOND
from bot.demo.world import MAINTAINER, REPOSITORY
from tests.scenarios.playbooks import APPROVED, RECORD, runs
from tests.scenarios.scenes import behaves, webhooks_only
from tests.scenarios.stage import Stage


@behaves(RECORD)
async def test_a_clock_set_back_does_not_keep_the_bot_from_looking(stage: Stage) -> None:
    await stage.settle()
    stage.clock.advance(-HOUR)
    thread = await stage.begin()
    await stage.ended(thread)
    assert runs(stage.directory) == 1


@webhooks_only
@behaves(RECORD, gates=APPROVED)
@pytest.mark.parametrize("back", [0, HOUR], ids=["right", "set-back"])
async def test_a_permission_is_asked_for_again_whatever_the_clock_does(stage: Stage, back: int) -> None:
    thread = await stage.begin()
    await stage.labelled(thread, "hold:gate")
    await stage.say(thread, "/status")
    await stage.settle()
    await stage.tracker.grant(REPOSITORY, MAINTAINER, "read")
    stage.clock.advance(10 * SECOND - back)
    await stage.say(thread, "/approve")
    await stage.said(thread, "write access is needed, and you have read")
    await stage.settle()
    assert runs(stage.directory) == 0
