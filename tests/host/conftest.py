from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.host.service import Desk, tracker_desk
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage.twice import Writable


@pytest.fixture
def bench(store: Writable[Tx], clock: FakeClock, ids: Ids) -> Bench:
    return Bench(store, clock, ids)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with tracker_desk(tmp_path) as opened:
        yield opened
