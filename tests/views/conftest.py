from __future__ import annotations

import pytest

from bot.storage.contract import Tx
from tests.clock import FakeClock
from tests.scheduler.bench import Bench
from tests.sequence import Ids
from tests.storage.twice import Writable


@pytest.fixture
def bench(store: Writable[Tx], clock: FakeClock, ids: Ids) -> Bench:
    return Bench(store, clock, ids)
