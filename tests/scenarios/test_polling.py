"""Poll mode: with a token alone, and no address that the tracker could reach, the same things happen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest

from bot.clock import HOUR, SECOND
from bot.demo.world import DEVELOPER, REPOSITORY
from bot.domain.work import WorkState
from bot.host.config import Config
from bot.host.sections import Settings
from bot.metrics import REGISTRY
from tests.scenarios.playbooks import RECORD, Agent, runs
from tests.scenarios.stage import Stage, open_stage

HELP = Agent(script=RECORD, default="help")
POLL = 15 * SECOND


@dataclass(kw_only=True)
class Polling(Stage):
    """A stage whose bot has no secret, and sweeps only at its start."""

    @property
    def config(self) -> Config:
        config = super().config
        settings = Settings(**{**config.settings.model_dump(), "sweep": 24 * HOUR, "poll": POLL})
        return config.model_copy(update={"settings": settings, "secrets": ()})


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Polling]:
    async with open_stage(tmp_path, webhooks=False, playbook=HELP.write(tmp_path)) as plain:
        stage = Polling(**vars(plain))
        async with stage.bot():
            yield stage


async def test_a_label_starts_a_run_and_a_comment_reaches_it_without_any_delivery(stage: Polling) -> None:
    # gh-W-01
    await stage.settle()
    thread = await stage.begin()
    stage.clock.advance(POLL)
    await stage.labelled(thread, "state:help")
    await stage.settle()
    await stage.say(thread, "Please say wrold.", by=DEVELOPER)
    stage.clock.advance(POLL)

    async def again() -> bool:
        (work,) = await stage.works(thread)
        return work.attempts == 2 and work.state is WorkState.WAITING

    await stage.until("run again", again)
    assert runs(stage.directory) == 2


async def test_what_a_poll_finds_does_not_count_as_missed_by_deliveries(stage: Polling) -> None:
    def missed() -> float:
        return REGISTRY.get_sample_value("trackside_reconcile_found_missed_total", {"kind": "wake"}) or 0.0

    await stage.settle()
    before = missed()
    thread = await stage.begin()
    stage.clock.advance(POLL)
    await stage.labelled(thread, "state:help")
    assert missed() == before


async def test_a_round_is_two_calls_and_reads_nothing_of_items_that_do_not_concern_the_bot(stage: Polling) -> None:
    # ag-I06
    await stage.settle()
    other = await stage.issue("Not for a bot")
    await stage.label(other, "question")
    stage.clock.advance(POLL)
    before = len(stage.faults.seen)
    await stage.turn()
    asked = stage.faults.seen[before:]
    assert asked == [("GET", f"/repos/{REPOSITORY}/{path}") for path in ("issues", "issues/comments")]


async def test_the_webhook_answers_why_it_takes_nothing(stage: Polling) -> None:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(stage.up.app), base_url="http://bot.test") as client:
        answer = await client.post("/webhooks/github", content=b"{}")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert answer.json() == {"error": "no deliveries are taken: the bot polls the tracker (tracker.mode)"}
