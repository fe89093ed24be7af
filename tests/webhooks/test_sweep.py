"""Sweeping with few calls: it goes on where it stopped, and everything has its turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.domain.scope import item_key
from bot.errors import CallsSpentError
from tests.simulation.playbooks import OPEN
from tests.simulation.tracker.state import PEOPLE
from tests.webhooks.bench import Bench, open_bench

ADA = PEOPLE[0].person


class Purse:
    """Allows so many readings, until it is filled again."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> None:
        if self.left <= 0:
            raise CallsSpentError
        self.left -= 1


async def started(bench: Bench, numbers: list[int]) -> list[int]:
    place = bench.tracker.places[0]
    return await bench.store.read(
        lambda tx: [number for number in numbers if tx.works.live(item_key(place.id, number), OPEN) is not None]
    )


async def test_a_sweep_that_was_cut_short_goes_on_where_it_stopped(tmp_path: Path) -> None:
    async with open_bench(tmp_path) as bench:
        place = bench.tracker.places[0]
        items = [bench.tracker.open_issue(place, ADA, f"Issue {number}", "") for number in range(10)]
        for item in items:
            bench.tracker.label(place, item, ADA, "run:fix")
        numbers = [item.number for item in items]
        purse = Purse(0)
        bench.door.allow.append(purse.spend)
        found = []
        for _ in range(4):
            # Three of these readings are no item: the repository, its comments, and one list for each label.
            purse.left = 8
            with pytest.raises(CallsSpentError):
                await bench.sweep.run(place.full_name)
            purse.left = 1000
            await bench.router.run()
            found.append(await started(bench, numbers))
    assert found == [numbers[:4], numbers[:8], numbers, numbers]
