"""Group commit, and what becomes of a group whose transaction is lost."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.errors import StorageError
from bot.storage.runner import ThreadRunner
from bot.storage.sql import BusyError, Sql, UniqueViolation
from tests.storage.engine.harness import Backend, Change, Gate, Store, add, open_sqlite, statements, tallies, together


@pytest.fixture
def backend(files: Backend) -> Backend:
    return files


def commits(traced: list[str]) -> int:
    return sum(text.startswith("COMMIT") for text in traced)


def counted(runs: Counter[str], name: str, change: Change) -> Change:
    def counts(sql: Sql) -> Any:
        runs[name] += 1
        return change(sql)

    return counts


def rolls_back(sql: Sql) -> None:
    sql.run("tally_new", name="lost", count=1)
    sql.run("fault_rollback")


def is_banned(sql: Sql) -> None:
    sql.run("mark_new", id="banned", tally=None)


def fills_the_disk(sql: Sql) -> None:
    sql.run("tally_new", name="lost", count=1)
    sql.one("fault_small_disk")
    sql.run("tally_data", name="lost", data=bytes(1_000_000))


def refers_to_nothing(sql: Sql) -> None:
    sql.run("mark_new", id="m", tally="nothing")


def goes_on_after_the_loss(sql: Sql) -> str:
    try:
        sql.run("mark_new", id="banned", tally=None)
    except StorageError:
        with pytest.raises(StorageError, match="lost"):
            sql.run("tally_new", name="stray", count=1)
    return "all is well"


async def test_changes_that_wait_together_share_one_commit(threaded: Store, traced: list[str]) -> None:
    before = commits(traced)
    outcomes = await together(threaded, [add(f"t{number}") for number in range(20)])
    assert outcomes == [1] * 20
    assert commits(traced) - before == 2  # that of the change before them, and theirs


async def test_changes_that_come_one_by_one_have_a_commit_each(threaded: Store, traced: list[str]) -> None:
    before = commits(traced)
    for number in range(3):
        await threaded.write(add(f"t{number}"))
    assert commits(traced) - before == 3


async def test_a_group_is_bounded(path: Path, traced: list[str]) -> None:
    store = await open_sqlite(path, ThreadRunner(), trace=traced.append, group=4)
    before = commits(traced)
    await together(store, [add(f"t{number}") for number in range(10)])
    assert commits(traced) - before == 1 + 3
    await store.close()


@pytest.mark.parametrize(
    ("offender", "reason"),
    [
        (rolls_back, "lost its transaction"),
        (is_banned, "this mark is banned"),
        (fills_the_disk, "full"),
        (refers_to_nothing, "FOREIGN KEY"),
        (goes_on_after_the_loss, "lost its transaction"),
    ],
)
async def test_who_loses_the_transaction_of_a_group_fails_alone(threaded: Store, offender: Change, reason: str) -> None:
    runs: Counter[str] = Counter()
    changes = [
        counted(runs, "a", add("a")),
        counted(runs, "again", add("a")),
        counted(runs, "offender", offender),
        counted(runs, "b", add("b")),
    ]
    first, again, fault, last = await together(threaded, changes)
    assert (first, last) == (1, 1)
    assert isinstance(again, UniqueViolation)
    assert isinstance(fault, StorageError)
    assert reason in str(fault)
    assert runs["a"] == 2, "the group was not run again"
    assert await threaded.read(tallies) == {"a": 1, "b": 1}
    assert await threaded.read(lambda sql: sql.all("mark_ids")) == []


@pytest.mark.parametrize("offender", [rolls_back, is_banned, fills_the_disk, refers_to_nothing, goes_on_after_the_loss])
async def test_a_lone_change_that_loses_its_transaction_fails_once(store: Store, offender: Change) -> None:
    runs: Counter[str] = Counter()
    with pytest.raises(StorageError):
        await store.write(counted(runs, "offender", offender))
    assert runs["offender"] == 1
    await store.write(lambda sql: sql.one("fault_large_disk"))
    assert await store.write(add("a")) == 1
    assert await store.read(tallies) == {"a": 1}


async def test_a_connection_that_cannot_roll_back_is_replaced(path: Path) -> None:
    store = await open_sqlite(path, ThreadRunner(), texts=statements("sql/broken"))
    offender, other = await together(store, [refers_to_nothing, add("a")])
    assert isinstance(offender, StorageError)
    assert other == 1
    assert await store.read(tallies) == {"a": 1}
    assert await store.read(tallies) == {"a": 1}
    await store.close()


async def test_nobody_is_answered_before_the_commit(path: Path) -> None:
    """Another connection sees what a caller was told, the moment that it was told."""
    store = await open_sqlite(path, ThreadRunner())
    with closing(sqlite3.connect(path)) as outside:

        async def write_and_look(name: str) -> int:
            await store.write(add(name))
            return len(outside.execute("SELECT 1 FROM tally WHERE name = ?", (name,)).fetchall())

        assert await asyncio.gather(*(write_and_look(f"t{number}") for number in range(30))) == [1] * 30
    await store.close()


async def test_a_cancelled_write_that_had_started_finishes(threaded: Store) -> None:
    gate = Gate()

    def change(sql: Sql) -> None:
        gate(sql)
        sql.run("tally_new", name="a", count=1)

    task = asyncio.create_task(threaded.write(change))
    await gate.entered()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    gate.open()
    assert await threaded.write(tallies) == {"a": 1}


async def test_a_cancelled_write_that_had_not_started_never_runs(threaded: Store) -> None:
    gate = Gate()
    first = asyncio.create_task(threaded.write(gate))
    await gate.entered()
    second = asyncio.create_task(threaded.write(add("a")))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.open()
    await first
    assert await threaded.write(tallies) == {}


async def test_close_finishes_what_was_asked_before(path: Path) -> None:
    store = await open_sqlite(path, ThreadRunner())
    gate = Gate()
    first = asyncio.create_task(store.write(gate))
    await gate.entered()
    second = asyncio.create_task(store.write(add("a")))
    await asyncio.sleep(0)
    closing_down = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    gate.open()
    await asyncio.gather(first, second, closing_down)
    assert second.result() == 1


async def test_a_reader_sees_its_snapshot_and_never_waits_for_the_writer(threaded: Store) -> None:
    await threaded.write(add("a"))
    writing, reading = Gate(), Gate()

    def change(sql: Sql) -> None:
        sql.run("tally_new", name="b", count=1)
        writing(sql)

    def query(sql: Sql) -> list[dict[str, int]]:
        before = tallies(sql)
        reading(sql)
        return [before, tallies(sql)]

    writer = asyncio.create_task(threaded.write(change))
    await writing.entered()
    assert await threaded.read(tallies) == {"a": 1}  # answered while the writer holds its transaction
    reader = asyncio.create_task(threaded.read(query))
    await reading.entered()
    writing.open()
    await writer
    assert await threaded.read(tallies) == {"a": 1, "b": 1}
    reading.open()
    assert await reader == [{"a": 1}, {"a": 1}]  # one snapshot, though "b" was committed in between


async def test_a_database_that_another_process_keeps_locked_is_busy_and_then_works(path: Path) -> None:
    store = await open_sqlite(path, ThreadRunner(), busy_timeout=50)
    with closing(sqlite3.connect(path, isolation_level=None)) as outside:
        outside.execute("BEGIN IMMEDIATE")
        with pytest.raises(BusyError, match="busy"):
            await store.write(add("a"))
        assert await store.read(tallies) == {}
        outside.execute("ROLLBACK")
    assert await store.write(add("a")) == 1
    await store.close()
