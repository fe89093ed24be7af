"""Migrations, each applied on a database that has rows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.clock import Millis
from bot.domain.event import Routing
from bot.domain.result import Ending, Outcome
from bot.domain.timer import TimerKind
from bot.ids import ExecutionId, HoldId, TimerId, WorkId
from bot.scheduler.claim import Claimed
from bot.scheduler.finish import finish
from bot.storage.contract import Tx
from bot.storage.migrate import Migration
from bot.storage.sql import Sql
from bot.storage.statements import Layer, Statement, parse
from tests.clock import START
from tests.factories import try_claim
from tests.storage.backend import MIGRATIONS, Backend, raw
from tests.storage.conformance.history import put_history

ROWS = Layer(package="tests.storage.conformance", directory="rows")
WORK, EXECUTION = WorkId("wrk-1"), ExecutionId("exe-1")

NEXT = Migration(
    version=len(MIGRATIONS) + 1,
    name="next",
    text="""
    ALTER TABLE works ADD COLUMN weight BIGINT NOT NULL DEFAULT 0;
    CREATE TABLE marks (work TEXT PRIMARY KEY REFERENCES works (id), weight BIGINT NOT NULL);
    INSERT INTO marks (work, weight) SELECT id, number FROM works;
    CREATE INDEX works_weight ON works (weight);
    """,
)


def rows() -> list[Statement]:
    """Return the statements that store a row in every table, in the order in which they can be run."""
    found = [each for file in ROWS.files() for each in parse(file.read_text(encoding="utf-8"), file.name)]
    return sorted(found, key=lambda statement: statement.name)


async def fill(backend: Backend, place: str) -> None:
    """Apply one migration after the other, and after each store the rows that its file names."""
    names = [statement.name for statement in rows()]
    for version in range(1, len(backend.migrations) + 1):
        own = [name for name in names if name.startswith(f"rows_{version:04d}_")]

        def insert(sql: Sql, own: list[str] = own) -> list[int]:
            return [sql.run(name) for name in own]

        store = await backend.open(place, bind=raw, more=[ROWS], migrations=backend.migrations[:version])
        assert set(await store.write(insert)) <= {1}
        await store.close()


def everything(tx: Tx) -> list[Any]:
    """Return all that the rows of the first schema hold, as the repositories read it."""
    return [
        tx.works.get(WORK),
        tx.works.keys(WORK),
        tx.executions.get(EXECUTION),
        tx.inputs.of_execution(WORK, EXECUTION),
        tx.events.with_key("item:1/1"),
        tx.deliveries.natural_keys("guid-1"),
        tx.holds.open(WORK),
        tx.decisions.of_hold(HoldId("hld-1")),
        tx.timers.of_work(WORK, TimerKind.RETRY),
        tx.threads.due(START),
        tx.threads.comments("item:1/1"),
        tx.notes.pending(),
        tx.items.get("item:1/1"),
        tx.scopes.line(tx.works.get(WORK).scope),
        tx.cursors.get("sweep"),
    ]


async def test_every_migration_runs_on_a_database_with_rows_and_keeps_them(backend: Backend, place: str) -> None:
    await fill(backend, place)
    store = await backend.open(place, bind=Tx)
    found = await store.read(everything)
    assert all(found), "no row was lost, and each is readable"
    now = Millis(2)
    ending = Ending(outcome=Outcome.HANDOFF)
    fence = (await store.read(lambda tx: tx.executions.get(EXECUTION))).fence
    await store.write(lambda tx: finish(tx, fence, ending, timer=TimerId("t"), stopped=True, now=now))
    assert (await store.read(lambda tx: tx.executions.get(EXECUTION))).outcome is Outcome.HANDOFF
    await store.close()


@pytest.mark.parametrize(
    ("ended_by", "reason", "gone"),
    [
        ("", "the issue was transferred or deleted", True),
        (None, "the repository was taken from the app", True),
        ("ada", "the app was suspended", False),
        ("", "the issue was closed", False),
    ],
)
async def test_a_work_that_was_lost_before_is_known_as_lost(
    backend: Backend, place: str, *, ended_by: str | None, reason: str, gone: bool
) -> None:
    names = [statement.name for statement in rows() if statement.name.startswith("rows_0001_")]

    def insert(sql: Sql) -> int:
        for name in names:
            sql.run(name)
        return sql.run("lost_work", ended_by=ended_by, reason=reason)

    store = await backend.open(place, bind=raw, more=[ROWS], migrations=backend.migrations[:1])
    assert await store.write(insert) == 1
    await store.close()
    newer = await backend.open(place, bind=Tx)
    assert (await newer.read(lambda tx: tx.works.get(WORK))).gone is gone
    await newer.close()


def test_there_is_a_row_for_every_table() -> None:
    """Else a migration could lose a table's rows unseen."""
    created = {table for migration in MIGRATIONS for table in re.findall(r"CREATE TABLE (\w+)", migration.text)}
    filled = {
        re.split(r"\s+", statement.text.removeprefix("INSERT INTO ").removeprefix("UPDATE "))[0] for statement in rows()
    }
    assert created == filled


async def test_the_next_migration_on_a_database_in_use_changes_nothing_that_is_read(
    backend: Backend, place: str
) -> None:
    store = await backend.open(place, bind=Tx)
    await store.write(lambda tx: put_history(tx, 6))

    def all_of_it(tx: Tx) -> list[Any]:
        works = tx.works.recent(1_000)
        return [
            works,
            [tx.executions.of_work(work.id) for work in works],
            [tx.holds.of_work(work.id) for work in works],
            [tx.inputs.pending(work.id) for work in works],
            [tx.events.by_routing(routing, limit=1_000) for routing in Routing],
            tx.notes.pending(),
            tx.threads.due(START),
        ]

    before = await store.read(all_of_it)
    await store.close()

    newer = await backend.open(place, bind=Tx, migrations=(*backend.migrations, NEXT))
    assert await newer.read(all_of_it) == before
    (ready,) = await newer.read(lambda tx: tx.works.ready())
    assert isinstance(await try_claim(newer, ready.id, now=START), Claimed)
    await newer.close()


async def test_a_database_that_is_up_to_date_is_opened_as_it_is(backend: Backend, place: str) -> None:
    await fill(backend, place)
    opened = [await backend.open(place, bind=Tx) for _ in range(2)]
    assert await opened[0].read(everything) == await opened[1].read(everything)
    for store in opened:
        await store.close()
