"""
Claims: how many attempts are started in a second, one after the other and several at once.

The same is measured in databases with a short, a long and a very long past, in turn: what has ended must not slow
down what starts. Attempts are ended between the batches, outside the measured time, as no host has
many of them at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import process_time

from bot.scheduler.claim import Claimed
from bot.storage.contract import Tx
from bot.storage.runner import ThreadRunner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from bot.storage.statements import for_dialect
from bot.storage.works import Ready
from tests.benchmarks.past import complete, multiply, put_ended
from tests.benchmarks.quantiles import percentile
from tests.benchmarks.report import Number, Section, ratios
from tests.benchmarks.scale import Scale
from tests.clock import START
from tests.factories import claim_one, make_work, put_work
from tests.storage.backend import MIGRATIONS

CONCURRENCIES = (1, 16)
_GROUP = 500
"""How many Works are stored in one transaction while a database is prepared."""


@dataclass(kw_only=True)
class Tally:
    """What was measured of one combination; times in seconds, ``used`` on the processor."""

    elapsed: float = 0.0
    used: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def figures(self) -> tuple[float, ...]:
        """Return claims per second, and the median and the processor time of a claim in milliseconds."""
        count = len(self.latencies)
        return count / self.elapsed, percentile(self.latencies, 50) * 1_000, self.used * 1_000 / count


async def measure(directory: Path, scale: Scale) -> Section:
    """Measure in a directory that is thrown away afterwards."""
    pasts = {finished: directory / f"{finished}.db" for finished in scale.finished}
    tallies = {(finished, concurrency): Tally() for finished in pasts for concurrency in CONCURRENCIES}
    async with AsyncExitStack() as stack:
        stores: dict[int, SqliteStore[Tx]] = {}
        for finished, path in pasts.items():
            await age(path, finished)
            stores[finished] = await _open(path)
            stack.push_async_callback(stores[finished].close)
            await _prepare(stores[finished], scale.claims * len(CONCURRENCIES))
        for _ in range(scale.claims // scale.batch):
            for (finished, concurrency), tally in tallies.items():
                await _batch(stores[finished], concurrency, scale.batch, tally)
    return _section(scale, tallies)


async def _open(path: Path) -> SqliteStore[Tx]:
    return await SqliteStore.open(
        SqliteSettings(path=path),
        bind=Tx,
        statements=for_dialect("sqlite"),
        migrations=MIGRATIONS,
        runner=ThreadRunner(),
    )


async def age(path: Path, finished: int) -> None:
    """Make a database in which so many Works have ended."""
    store = await _open(path)
    await store.write(put_ended)
    await store.close()
    await asyncio.to_thread(multiply, path, finished - 1)


async def _prepare(store: SqliteStore[Tx], ready: int) -> None:
    for start in range(1, ready + 1, _GROUP):

        def change(tx: Tx, start: int = start) -> None:
            for number in range(start, min(start + _GROUP, ready + 1)):
                put_work(tx, make_work(number))

        await store.write(change)


async def _batch(store: SqliteStore[Tx], concurrency: int, size: int, tally: Tally) -> None:
    loop = asyncio.get_running_loop()
    ready = iter(await store.read(lambda tx: tx.works.ready(limit=size)))

    async def keep_claiming() -> list[Claimed]:
        return [await _timed(store, work, tally) for work in ready]

    began, used = loop.time(), process_time()
    claimed = list(chain.from_iterable(await asyncio.gather(*(keep_claiming() for _ in range(concurrency)))))
    tally.elapsed += loop.time() - began
    tally.used += process_time() - used
    await store.write(lambda tx: complete(tx, claimed))


async def _timed(store: SqliteStore[Tx], work: Ready, tally: Tally) -> Claimed:
    loop = asyncio.get_running_loop()
    began = loop.time()
    claimed = await claim_one(store, work.id, now=START)
    tally.latencies.append(loop.time() - began)
    return claimed


def _section(scale: Scale, tallies: Mapping[tuple[int, int], Tally]) -> Section:
    rows: dict[str, tuple[Number, ...]] = {}
    shortest, *longer = scale.finished
    for concurrency in CONCURRENCIES:
        base = tallies[shortest, concurrency].figures()
        rows[f"{concurrency} at a time, {shortest:,} ended"] = base
        for finished in longer:
            figures = tallies[finished, concurrency].figures()
            rows[f"{concurrency} at a time, {finished:,} ended"] = figures
            rows[f"{concurrency} at a time, {finished:,} / {shortest:,}"] = ratios(figures, base)
    return Section(
        key="claims",
        title=f"Claims: {scale.claims:,} for each figure, in turn, after so many Works have ended",
        columns=("per second", "p50 ms", "CPU ms each"),
        rows=rows,
    )
