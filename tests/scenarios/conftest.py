from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import structlog

from bot.storage.contract import Tx
from tests.scenarios.playbooks import Agent, Signal, signal_in
from tests.scenarios.processes import assert_none_left
from tests.scenarios.stage import PLAYBOOK, Stage, open_stage


@pytest.fixture(autouse=True)
def plain_log() -> Iterator[None]:
    """Log warnings as plain text: what the library does by default takes a second for each traceback."""
    before = structlog.get_config()
    structlog.configure(
        processors=[structlog.processors.format_exc_info, structlog.processors.KeyValueRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    yield
    structlog.configure(**before)


@pytest.fixture(autouse=True)
def no_process_left(tmp_path: Path) -> Iterator[None]:
    """Prove that no run is left over at the end, and end the supervisor that the bot left behind."""
    yield
    assert_none_left(tmp_path)


@pytest.fixture(params=["webhooks", "silent"])
def webhooks(request: pytest.FixtureRequest) -> bool:
    """Tell whether the tracker's webhooks arrive: once they all do, and once none does."""
    return bool(request.param == "webhooks")


@pytest.fixture
def agent() -> Agent | None:
    """Say how the agent behaves; None is the demo's own."""
    return None


@pytest.fixture
def slots() -> int:
    """Say how many runs there may be at once."""
    return 4


@pytest.fixture
def signal(tmp_path: Path) -> Iterator[Signal]:
    """Make what agents wait for."""
    with signal_in(tmp_path) as made:
        yield made


@pytest.fixture
async def scene(tmp_path: Path, webhooks: bool, agent: Agent | None, slots: int) -> AsyncIterator[Stage]:  # noqa: FBT001 - a fixture
    """Set a stage; the bot is down until the test puts it up."""
    playbook = PLAYBOOK if agent is None else agent.write(tmp_path)
    async with open_stage(tmp_path, webhooks=webhooks, playbook=playbook, slots=slots) as opened:
        yield opened


@pytest.fixture
async def stage(scene: Stage) -> AsyncIterator[Stage]:
    """Set a stage with the bot up; nothing may be left over at the end."""
    async with scene.bot():
        yield scene
        await scene.settle()
        await assert_nothing_left(scene)


async def assert_nothing_left(stage: Stage) -> None:
    """Prove that nothing is pending: no event, note, thread, lease or slot."""

    def left(tx: Tx) -> list[object]:
        return [
            *tx.events.pending(),
            *tx.notes.pending(),
            *tx.executions.live(),
            *tx.executions.unconfirmed(),
            *(thread for thread in tx.threads.due(stage.clock.now())),
        ]

    assert await stage.up.store.read(left) == []
