from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.scenarios.processes import assert_none_left
from tests.scenarios.stage import Stage, open_stage


@pytest.fixture(params=["webhooks", "silent"])
async def stage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stage]:
    """Set a stage with the bot up, once with every webhook and once with none; nothing may be left over at the end."""
    async with open_stage(tmp_path, webhooks=request.param == "webhooks") as opened, opened.bot():
        yield opened
        await opened.settle()
        await assert_nothing_left(opened)
    assert_none_left(tmp_path)


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
