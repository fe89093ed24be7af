"""Programs that tests run in processes of their own: ``python -m tests.storage.engine.child WHAT BACKEND PLACE …``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine

from bot.errors import StorageError
from bot.storage.sql import Sql
from tests.storage.engine.harness import Backend, Store, add, named, tallies


def one_more(sql: Sql) -> None:
    """Read, then write what follows from it: a lost update would show."""
    sql.run("tally_set", name="shared", count=tallies(sql)["shared"] + 1)


async def increment(backend: Backend, place: str, times: str) -> None:
    """Add one to the tally ``shared``, so many times, four writes waiting together."""
    store = await backend.open(place)
    for _ in range(int(times) // 4):
        await asyncio.gather(*(store.write(one_more) for _ in range(4)))
    await store.close()


async def answer(backend: Backend, place: str) -> None:
    """Write without end, and print the name of each tally once its write has returned."""
    store = await backend.open(place)
    await asyncio.gather(*(_answer(store, worker) for worker in range(8)))


async def _answer(store: Store, worker: int) -> None:
    number = 0
    while True:
        name = f"w{worker}-{number}"
        await store.write(add(name))
        print(name, flush=True)  # noqa: T201 - this is how the test learns what was answered
        number += 1


async def pause(backend: Backend, place: str) -> None:
    """Write, be stopped by whoever started this in the middle of it, and print what became of it."""
    store = await backend.open(place, idle_timeout=500)

    def change(sql: Sql) -> None:
        sql.run("tally_new", name="paused", count=1)
        print("inside", flush=True)  # noqa: T201 - the test stops this process now, and later lets it go on
        sys.stdin.readline()
        sql.run("tally_new", name="late", count=1)

    try:
        await store.write(change)
    except StorageError as error:
        print(f"refused: {error}", flush=True)  # noqa: T201 - the test reads it
    await store.write(add("afterwards"))
    await store.close()


async def arrive(backend: Backend, place: str, name: str) -> None:
    """Open a database that does not exist yet when told to, together with others, and add a row."""
    print("ready", flush=True)  # noqa: T201 - the test waits for it
    sys.stdin.readline()
    store = await backend.open(place)
    await store.write(add(name))
    await store.close()


PROGRAMS: dict[str, Callable[..., Coroutine[None, None, None]]] = {
    "increment": increment,
    "answer": answer,
    "pause": pause,
    "arrive": arrive,
}

if __name__ == "__main__":
    asyncio.run(PROGRAMS[sys.argv[1]](named(sys.argv[2]), *sys.argv[3:]))
