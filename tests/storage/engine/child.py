"""Programs that tests run in processes of their own: ``python -m tests.storage.engine.child WHAT PATH …``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path

from bot.storage.runner import ThreadRunner
from bot.storage.sql import Sql
from tests.storage.engine.harness import Store, add, open_sqlite, tallies


def one_more(sql: Sql) -> None:
    """Read, then write what follows from it: a lost update would show."""
    sql.run("tally_set", name="shared", count=tallies(sql)["shared"] + 1)


async def increment(path: Path, times: str) -> None:
    """Add one to the tally ``shared``, so many times, four writes waiting together."""
    store = await open_sqlite(path, ThreadRunner(), busy_timeout=60_000)
    for _ in range(int(times) // 4):
        await asyncio.gather(*(store.write(one_more) for _ in range(4)))
    await store.close()


async def answer(path: Path) -> None:
    """Write without end, and print the name of each tally once its write has returned."""
    store = await open_sqlite(path, ThreadRunner(), durable=True)
    await asyncio.gather(*(_answer(store, worker) for worker in range(8)))


async def _answer(store: Store, worker: int) -> None:
    number = 0
    while True:
        name = f"w{worker}-{number}"
        await store.write(add(name))
        print(name, flush=True)  # noqa: T201 - this is how the test learns what was answered
        number += 1


async def arrive(path: Path, name: str) -> None:
    """Open a file that does not exist yet when told to, together with others, and add a row."""
    print("ready", flush=True)  # noqa: T201 - the test waits for it
    sys.stdin.readline()
    store = await open_sqlite(path, ThreadRunner(), busy_timeout=60_000)
    await store.write(add(name))
    await store.close()


PROGRAMS: dict[str, Callable[..., Coroutine[None, None, None]]] = {
    "increment": increment,
    "answer": answer,
    "arrive": arrive,
}

if __name__ == "__main__":
    asyncio.run(PROGRAMS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:]))
