"""What a start does with the configurations of attempts that were started under earlier ones."""

from __future__ import annotations

from pathlib import Path

import structlog

from bot.clock import HOUR, Millis
from bot.storage.contract import Tx
from tests.scenarios.stage import open_stage

READABLE = {"version": 1, "grace": 1_000, "playbooks": {}}


async def test_a_start_makes_what_attempts_may_need_and_forgets_the_rest(tmp_path: Path) -> None:
    # C-21, C-22
    async with open_stage(tmp_path) as stage:
        now = stage.clock.now()

        def keep(tx: Tx) -> None:
            tx.generations.keep("long-ago", READABLE, Millis(now - 2 * HOUR))
            tx.generations.keep("just-now", READABLE, now)
            tx.generations.keep("unknown", {"version": 9}, now)

        async with stage.bot() as host:
            await host.store.write(keep)
        with structlog.testing.capture_logs() as logged:
            async with stage.bot() as host:
                kept = await host.store.read(lambda tx: tx.generations.all())
        assert kept.keys() == {"just-now", "unknown"}
        refused = [entry for entry in logged if entry["event"] == "generation_not_restored"]
        assert [entry["generation"] for entry in refused] == ["unknown"]
