"""
A long past in seconds: one Work that has ended, stored as the bot stores it, and any number of copies of its rows.

The rows are copied whatever the tables are, so that the past keeps the shape of the present: where a row names the
Work by its number, the copy names another number, and acceptance numbers go on counting.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bot.domain.result import Ending, Outcome
from bot.ids import TimerId
from bot.scheduler.claim import Candidate, Claimed, claim
from bot.scheduler.finish import finish
from bot.storage.contract import Tx
from tests.benchmarks.statements import STATEMENTS
from tests.clock import START
from tests.factories import make_request, make_work, put_work

NUMBER = 77_000_001
"""The number of the first Work that has ended; those of its copies follow."""

Row = tuple[str | int | float | bytes | None, ...]


def put_ended(tx: Tx) -> None:
    """Store a Work that has run, was completed and shows so, in a database without any other."""
    work = put_work(tx, make_work(NUMBER))
    assert work is not None
    found = Candidate(work=work, inputs=tuple(tx.inputs.pending(work.id)))
    claimed = claim(tx, make_request(found), START)
    assert isinstance(claimed, Claimed)
    complete(tx, [claimed])
    thread = tx.threads.get(work.item)
    assert thread is not None
    tx.threads.shown(work.item, thread.wanted)


def complete(tx: Tx, claimed: Sequence[Claimed]) -> None:
    """Complete the Work of attempts that were just claimed."""
    ending = Ending(outcome=Outcome.COMPLETED, status="done")
    for each in claimed:
        finish(tx, each.execution.fence, ending, timer=TimerId("unused"), stopped=True, now=START)


def multiply(database: Path, times: int) -> None:
    """Copy every row about the Work so often, in a database that nobody else has open."""
    with closing(sqlite3.connect(database)) as connection, connection:
        step = int(connection.execute(STATEMENTS.get("past_events").text).fetchone()[0])
        for (table,) in connection.execute(STATEMENTS.get("past_tables").text).fetchall():
            cursor = connection.execute(f"SELECT * FROM {table}")  # noqa: S608 - a name out of the schema
            numbered = [column[0] == "seq" for column in cursor.description]
            rows = [row for row in cursor.fetchall() if any(_named(value) for value in row)]
            insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(numbered))})"  # noqa: S608 - as above
            for row in rows:
                connection.executemany(insert, _copies(row, numbered, step, times))
        connection.execute(STATEMENTS.get("past_accepted").text, {"more": step * times})


def _named(value: object) -> bool:
    return isinstance(value, str) and str(NUMBER) in value


def _copies(row: Row, numbered: Sequence[bool], step: int, times: int) -> Iterator[Row]:
    for copy in range(1, times + 1):
        name = str(NUMBER + copy)
        yield tuple(
            value + step * copy
            if counts and isinstance(value, int)
            else value.replace(str(NUMBER), name)
            if isinstance(value, str)
            else NUMBER + copy
            if value == NUMBER
            else value
            for value, counts in zip(row, numbered, strict=True)
        )
