"""What the host asks at every turn costs the same, however much has ended before (C-155)."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from bot.clock import DAY
from bot.storage.contract import Tx
from bot.storage.sql import Value
from bot.storage.statements import for_dialect
from tests.clock import START
from tests.storage.backend import INLINE
from tests.storage.conformance.history import LATE, TOKEN, put_history

PAGE = {"limit": 100}
HOT: Mapping[str, Mapping[str, Value]] = {
    "works_ready": PAGE,
    "accounts": {},
    "account_by_name": {"name": "provider"},
    "scopes_named": {"name": "owner-1/repo-1", "kind": "repository"},
    "starts_on_day": {"key": f"starts/repository:1/{START // DAY}"},
    "work_live": {"item": "item:1/90001", "playbook": "work-issue"},
    "works_live_by_key": {"key": "item:1/90001"},
    "inputs_pending": {"work": "wrk-1-90001"},
    "inputs_of_execution": {"work": "wrk-1-90002", "execution": "exe-wrk-1-90002-1"},
    "inputs_presented": {"work": "wrk-1-90002", "execution": "exe-wrk-1-90002-1"},
    "subscriptions_to_key": {"key": "item:1/90001"},
    "subscriptions_of_work": {"work": "wrk-1-90002"},
    "holds_open": {"work": "wrk-1-90004"},
    "holds_open_of_kind": {"kind": "budget"},
    "ledger_by_key": {"key": "usd/work/item:1/90002/work-issue/life"},
    "reserved_in_ledger": {"ledger": "usd/work/item:1/90002/work-issue/life"},
    "reservations_of_execution": {"execution": "exe-wrk-1-90002-1"},
    "staged_usage_all": {},
    "raised": {"item": "item:1/90002", "playbook": "work-issue", "unit": "usd"},
    "timers_due": {"now": LATE, "due_at": -1, "id": "", **PAGE},
    "controls_due": {"now": LATE, "next_at": -1, "id": "", **PAGE},
    "controls_of_execution": {"execution": "exe-wrk-1-90002-1"},
    "timer_next": {},
    "timer_of_work": {"work": "wrk-1-90003", "kind": "retry"},
    "events_pending": {"after": 0, **PAGE},
    "event_by_natural_key": {"natural_key": "pending"},
    "event_newest": {},
    "events_dead_count": {},
    "event_depth": {"id": "evt-pending"},
    "events_of_type_with_key": {"key": "item:1/90002", "type": "tracker.comment"},
    "events_pending_with_key": {"key": "item:1/90002", "type": "tracker.comment", "after": 0},
    "event_pending_for_work": {"work": "wrk-1-90002"},
    "executions_lapsed": {"now": LATE, "lease_until": -1, "id": "", **PAGE},
    "executions_overdue": {"now": LATE + LATE, "deadline": -1, "id": "", **PAGE},
    "executions_launching": {"started_at": -1, "id": "", **PAGE},
    "executions_live": {},
    "executions_unconfirmed": {"ended_at": -1, "id": "", **PAGE},
    "execution_unconfirmed_of_work": {"work": "wrk-1-90005"},
    "execution_by_token": {"token": TOKEN},
    "execution_live_of_work": {"work": "wrk-1-90002"},
    "slots_of_pool": {"pool": "agents"},
    "slots_of_scope": {"scope": "repository:1"},
    "threads_due": {"now": LATE, **PAGE},
    "notes_due": {"now": LATE, **PAGE},
}
"""Every query that a turn of the host's loop, a claim or a renewal asks, with values that find something."""

_SCAN = re.compile(r"SCAN (?P<table>\w+)\b(?! USING (?:COVERING )?INDEX)")
SMALL_TABLES = {"timers", "staged_usage", "accounts", "scopes", "counters", "line", "below", "b", "l"}
"""Tables and names of intermediate results that hold only what lives."""


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    """Two databases that differ in how much has ended: 20 Works and 200."""
    paths = [tmp_path_factory.mktemp("history") / f"{ended}.db" for ended in (20, 200)]
    for path, ended in zip(paths, (20, 200), strict=True):
        asyncio.run(_fill(path, ended))
    with closing(sqlite3.connect(paths[0])) as few, closing(sqlite3.connect(paths[1])) as many:
        yield few, many


async def _fill(path: Path, ended: int) -> None:
    store = await INLINE.open(str(path), bind=Tx)
    await store.write(lambda tx: put_history(tx, ended))
    await store.close()


def plan(connection: sqlite3.Connection, name: str) -> list[str]:
    text = for_dialect("sqlite").get(name).text
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", dict(HOT[name]))]


def cost(connection: sqlite3.Connection, name: str, values: Mapping[str, Value]) -> tuple[int, int]:
    """Return how many rows a query finds and how many steps SQLite's machine takes for it."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    text = for_dialect("sqlite").get(name).text
    connection.execute(text, dict(values)).fetchall()
    connection.set_progress_handler(step, 1)
    try:
        found = len(connection.execute(text, dict(values)).fetchall())
    finally:
        connection.set_progress_handler(None, 1)
    return found, steps


# C-155
@pytest.mark.parametrize("name", HOT)
def test_a_hot_query_scans_no_table_that_grows(
    databases: tuple[sqlite3.Connection, sqlite3.Connection], name: str
) -> None:
    scanned = {match["table"] for line in plan(databases[1], name) if (match := _SCAN.match(line))}
    assert scanned <= SMALL_TABLES, plan(databases[1], name)


# C-155
@pytest.mark.parametrize("name", HOT)
def test_a_hot_query_costs_the_same_after_ten_times_as_much_has_ended(
    databases: tuple[sqlite3.Connection, sqlite3.Connection], name: str
) -> None:
    (found, few), (again, many) = cost(databases[0], name, HOT[name]), cost(databases[1], name, HOT[name])
    assert found == again
    assert found > 0, "the query must find something, or its cost says nothing"
    assert many <= few * 1.1 + 10, f"{few} steps, then {many}: {plan(databases[1], name)}"


def test_a_query_whose_cost_grows_would_be_found(databases: tuple[sqlite3.Connection, sqlite3.Connection]) -> None:
    """The list of all Work is for people who look; it may grow, and this test sees it grow."""
    few, many = (cost(connection, "works_recent", {"limit": 1_000})[1] for connection in databases)
    assert many > 5 * few
