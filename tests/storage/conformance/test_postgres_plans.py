"""What the host asks at every turn reads few rows on PostgreSQL too, however much has ended before (C-155)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

from bot.storage.contract import Tx
from bot.storage.postgres.adapt import adapt
from bot.storage.postgres.texts import pyformat
from bot.storage.sql import Value
from bot.storage.statements import for_dialect
from tests.postgres import need_server
from tests.storage.backend import POSTGRES
from tests.storage.conformance.history import put_history
from tests.storage.conformance.test_query_plans import HOT

ENDED, COPIES = 100, 120
"""So many Works end, and what is left of each is copied so many times: ten thousand rows, of which a few live."""
MOST_READ = 400
"""Rows that one query may look at: all that lives, and not a hundredth of what has ended."""
PAST: Mapping[str, LiteralString] = {
    "items": "true",
    "works": "state IN ('completed', 'cancelled', 'failed')",
    "work_keys": "true",
    "inputs": "execution IS NOT NULL",
    "events": "routing <> 'pending'",
    "event_keys": "seq NOT IN (SELECT seq FROM events WHERE routing = 'pending')",
    "executions": "phase = 'finished' AND slot = 0",
    "consumed": "true",
    "holds": "state <> 'open'",
    "decisions": "true",
    "threads": "wanted <= shown",
    "thread_comments": "true",
    "notes": "state <> 'pending'",
}
"""What has ended in each table that grows."""
KEYS = {"id", "key", "work", "item", "source", "natural_key", "execution", "hold"}
"""Columns that name a row: a copy has other names. Columns that number one are these."""
NUMBERS = {"seq", "comment"}
Connection = psycopg.Connection[dict[str, Any]]


@pytest.fixture(scope="module")
def database() -> Iterator[Connection]:
    """Make a database in which much has ended."""
    server = need_server()
    place = server.place()
    asyncio.run(_fill(place))
    with psycopg.connect(place, autocommit=True, row_factory=dict_row) as connection:
        adapt(connection)
        _multiply(connection)
        yield connection
    server.drop(place)


async def _fill(place: str) -> None:
    store = await POSTGRES.open(place, bind=Tx)
    await store.write(lambda tx: put_history(tx, ENDED))
    await store.close()


def _multiply(connection: Connection) -> None:
    connection.execute("SET session_replication_role = replica")  # references are not looked up for each copy
    for table, ended in PAST.items():
        columns = [
            (row["column_name"], row["data_type"])
            for row in connection.execute(
                "SELECT column_name, data_type FROM information_schema.columns"
                " WHERE table_schema = current_schema AND table_name = %s AND is_identity = 'NO'",
                [table],
            )
        ]
        values = [_copied(*column) for column in columns]
        statement = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}, generate_series(1, {}) AS copy WHERE {}").format(
            sql.Identifier(table),
            sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns),
            sql.SQL(", ").join(values),
            sql.Identifier(table),
            COPIES,
            sql.SQL(ended),
        )
        connection.execute(statement)
    connection.execute("ANALYZE")


def _copied(name: str, kind: str) -> sql.Composable:
    column = sql.Identifier(name)
    if name in KEYS and kind == "text":
        return sql.SQL("{} || '-' || copy").format(column)
    if name in NUMBERS and kind == "bigint":
        return sql.SQL("{} + copy * 1000000").format(column)
    return column


def explained(connection: Connection, name: str, values: Mapping[str, Value]) -> dict[str, Any]:
    """Return how a query was run, as PostgreSQL tells it."""
    text = pyformat(for_dialect("postgres").get(name).text)
    (row,) = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}".encode(), dict(values))
    plan: dict[str, Any] = row["QUERY PLAN"][0]["Plan"]
    return plan


def read(plan: Mapping[str, Any]) -> int:
    """Return how many rows the scans of a plan have looked at."""
    own = 0
    if "Relation Name" in plan:
        own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return int(own) + sum(read(each) for each in plan.get("Plans", ()))


# C-155
@pytest.mark.parametrize("name", HOT)
def test_a_hot_query_looks_at_few_rows(database: Connection, name: str) -> None:
    plan = explained(database, name, HOT[name])
    assert plan["Actual Rows"] > 0, "the query must find something, or its cost says nothing"
    assert read(plan) <= MOST_READ, plan


def test_a_query_whose_cost_grows_would_be_found(database: Connection) -> None:
    """The list of all Work is for people who look; it may grow, and this test sees it grow."""
    assert read(explained(database, "works_recent", {"limit": 10_000})) > 20 * MOST_READ
