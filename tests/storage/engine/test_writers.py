"""Many who write to one database at once wait for each other, and none of them fails."""

from __future__ import annotations

import asyncio
from pathlib import Path

from bot.storage.contract import Tx
from bot.storage.runner import ThreadRunner
from tests.storage.backend import SqliteBackend
from tests.storage.twice import Writable

WRITERS, EACH = 16, 10
THREADS = SqliteBackend("sqlite-threads", ThreadRunner)


def count(tx: Tx) -> None:
    tx.cursors.put("count", str(int(tx.cursors.get("count") or "0") + 1))


async def test_sixteen_writers_lose_nothing_and_meet_no_lock(tmp_path: Path) -> None:
    # ag-I15
    place = THREADS.place(tmp_path)
    stores = [await THREADS.open(place, bind=Tx) for _ in range(WRITERS)]

    async def write(store: Writable[Tx]) -> None:
        for _ in range(EACH):
            await store.write(count)

    try:
        await asyncio.gather(*(write(store) for store in stores))
        assert await stores[0].read(lambda tx: tx.cursors.get("count")) == str(WRITERS * EACH)
    finally:
        for store in stores:
            await store.close()
