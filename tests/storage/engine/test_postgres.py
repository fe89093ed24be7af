"""What PostgreSQL does that SQLite does not: connections end, hosts take turns, and each hears of the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from bot.errors import StorageError
from bot.storage.postgres.store import PostgresStore
from bot.storage.runner import InlineRunner, ThreadRunner
from bot.storage.sql import BusyError, Sql, UncertainError, UniqueViolation
from tests.postgres import need_server
from tests.storage.engine.harness import Gate, add, open_postgres, statements, tallies, together

Remote = PostgresStore[Sql]


def pid(sql: Sql) -> int:
    row = sql.one("session_pid")
    assert row is not None
    return int(row["pid"])


def transaction(sql: Sql) -> str:
    row = sql.one("session_transaction")
    assert row is not None
    return str(row["number"])


def ends_its_connection(sql: Sql) -> None:
    sql.run("tally_new", name="lost", count=1)
    sql.one("session_terminate_own")


@contextmanager
def outside(url: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


@contextmanager
def writing_elsewhere(url: str) -> Iterator[None]:
    """Be another host within a write transaction."""
    with outside(url) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(7310579482)")
        yield


async def test_a_writer_whose_connection_was_ended_meanwhile_writes_on(remote: Remote) -> None:
    victim = await remote.write(pid)
    await remote.read(lambda sql: sql.one("session_terminate", pid=victim))
    assert await remote.write(add("a")) == 1
    assert await remote.write(pid) != victim


async def test_readers_whose_connections_were_ended_meanwhile_read_on(remote: Remote) -> None:
    victims = set(await asyncio.gather(*(remote.read(pid) for _ in range(20))))
    for victim in victims:
        await remote.write(lambda sql, victim=victim: sql.one("session_terminate", pid=victim))  # type: ignore[misc]
    found = await asyncio.gather(*(remote.read(pid) for _ in range(20)))
    assert victims.isdisjoint(found)


async def test_a_change_whose_connection_ends_writes_nothing_and_says_so(remote: Remote) -> None:
    with pytest.raises(StorageError, match="terminating connection"):
        await remote.write(ends_its_connection)
    assert await remote.read(tallies) == {}
    assert await remote.write(add("a")) == 1


async def test_a_change_that_hides_the_end_of_its_connection_is_not_answered_as_done(remote: Remote) -> None:
    def change(sql: Sql) -> str:
        with pytest.raises(StorageError):
            ends_its_connection(sql)
        return "all is well"

    with pytest.raises(StorageError, match="lost its transaction"):
        await remote.write(change)
    assert await remote.read(tallies) == {}


async def test_of_a_group_whose_connection_ends_none_is_written_and_none_runs_again(remote: Remote) -> None:
    runs: list[str] = []

    def change(sql: Sql) -> None:
        runs.append("a")
        add("a")(sql)

    outcomes = await together(remote, [change, ends_its_connection, add("b")])
    assert all(isinstance(outcome, StorageError) for outcome in outcomes)
    assert runs == ["a"]
    assert await remote.read(tallies) == {}


async def test_a_commit_of_which_nobody_heard_the_end_is_never_called_done(remote: Remote) -> None:
    """The connection ends while the server commits: here it did not, but the store cannot know."""

    def change(sql: Sql) -> None:
        sql.run("tally_new", name="a", count=1)
        sql.run("mark_new", id="doomed", tally=None)

    outcomes = await together(remote, [add("b"), change])
    assert [type(outcome) for outcome in outcomes] == [UncertainError, UncertainError]
    assert "may or may not" in str(outcomes[1])
    assert await remote.read(tallies) == {}
    assert await remote.write(add("a")) == 1


async def test_a_connection_that_cannot_roll_back_is_replaced(url: str) -> None:
    """Else the next transaction would be part of the one before, and see no more than that."""
    store = await open_postgres(url, ThreadRunner(), readers=1, texts=statements("sql/broken", dialect="postgres"))
    assert await store.read(tallies) == {}
    assert await store.write(add("a")) == 1
    assert await store.read(tallies) == {"a": 1}
    await store.close()


async def test_a_store_survives_a_restart_of_the_server(remote: Remote) -> None:
    await remote.write(add("before"))
    need_server().restart()
    assert await remote.read(tallies) == {"before": 1}
    assert await remote.write(add("after")) == 1
    assert await remote.read(tallies) == {"after": 1, "before": 1}


async def test_without_a_server_every_call_fails_until_it_is_back(remote: Remote) -> None:
    server = need_server()
    server.stop()
    try:
        for _ in range(2):
            with pytest.raises(StorageError, match="cannot connect"):
                await remote.write(add("lost"))
            with pytest.raises(StorageError, match="cannot connect"):
                await remote.read(tallies)
    finally:
        server.start()
    assert await remote.write(add("a")) == 1
    assert await remote.read(tallies) == {"a": 1}


async def test_a_store_that_lost_its_server_can_be_closed(url: str) -> None:
    store = await open_postgres(url, ThreadRunner())
    need_server().restart()
    await store.close()


async def test_changes_that_wait_together_share_one_transaction(remote: Remote) -> None:
    numbers = await together(remote, [transaction] * 8)
    assert len(set(numbers)) == 1
    assert await remote.write(transaction) != await remote.write(transaction)


async def test_a_change_that_failed_spoils_nothing_for_the_others_of_its_group(remote: Remote) -> None:
    def fails(sql: Sql) -> None:
        add("x")(sql)
        sql.run("tally_new", name="y", count=None)

    def hides_it(sql: Sql) -> str:
        with pytest.raises(StorageError, match="not-null"):
            fails(sql)
        with pytest.raises(StorageError, match="lost"):
            add("z")(sql)
        return "all is well"

    runs: list[str] = []

    def counted(sql: Sql) -> int:
        runs.append("a")
        return int(add("a")(sql))

    first, failed, hidden, last = await together(remote, [counted, fails, hides_it, add("b")])
    assert (first, last) == (1, 1)
    assert isinstance(failed, StorageError)
    assert isinstance(hidden, StorageError)
    assert runs == ["a"], "the others were run again"
    assert await remote.read(tallies) == {"a": 1, "b": 1}


async def test_what_a_change_did_before_a_repeated_key_is_there_after_it(remote: Remote) -> None:
    def change(sql: Sql) -> list[Any]:
        sql.run("tally_new", name="a", count=1)
        seen = [sql.one("tally_add_returning", name="a", more=2)]
        for _ in range(2):
            with pytest.raises(UniqueViolation):
                sql.run("tally_new", name="a", count=5)
            seen.append(sql.one("tally_add_returning", name="a", more=3))
        return seen

    await remote.write(add("other"))
    assert await remote.write(change) == [{"count": 3}, {"count": 6}, {"count": 9}]
    assert await remote.read(tallies) == {"a": 9, "other": 1}


async def test_a_host_waits_for_another_that_writes_but_not_for_ever(url: str) -> None:
    store = await open_postgres(url, ThreadRunner(), lock_timeout=50)
    with writing_elsewhere(url):
        with pytest.raises(BusyError):
            await store.write(add("a"))
        assert await store.read(tallies) == {}
    assert await store.write(add("a")) == 1
    await store.close()


async def test_a_statement_that_hangs_is_ended(url: str) -> None:
    store = await open_postgres(url, ThreadRunner(), statement_timeout=50)
    with pytest.raises(StorageError, match="session_sleeps: canceling statement due to statement timeout"):
        await store.write(lambda sql: sql.one("session_sleeps"))
    assert await store.write(add("a")) == 1
    await store.close()


async def test_every_connection_is_set_for_safety(remote: Remote) -> None:
    def setting(name: str) -> Callable[[Sql], str]:
        return lambda sql: str((sql.one("session_setting", name=name) or {})["value"])

    names = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout", "transaction_isolation")
    assert [await remote.write(setting(name)) for name in names] == ["10s", "5s", "12s", "read committed"]
    assert [await remote.read(setting(name)) for name in names] == ["10s", "50s", "2min", "repeatable read"]
    assert await remote.read(setting("transaction_read_only")) == "on"


async def test_a_reader_sees_its_snapshot_and_never_waits_for_the_writer(remote: Remote) -> None:
    await remote.write(add("a"))
    writing, reading = Gate(), Gate()

    def change(sql: Sql) -> None:
        sql.run("tally_new", name="b", count=1)
        writing(sql)

    def query(sql: Sql) -> list[dict[str, int]]:
        before = tallies(sql)
        reading(sql)
        return [before, tallies(sql)]

    writer = asyncio.create_task(remote.write(change))
    await writing.entered()
    assert await remote.read(tallies) == {"a": 1}  # answered while the writer holds its transaction
    reader = asyncio.create_task(remote.read(query))
    await reading.entered()
    writing.open()
    await writer
    reading.open()
    assert await reader == [{"a": 1}, {"a": 1}]  # one snapshot, though "b" was committed in between


async def test_values_are_those_that_another_database_would_give(remote: Remote) -> None:
    def change(sql: Sql) -> list[Any]:
        sql.run("tally_new", name="no\x00thing", count=True)
        return [
            sql.all("tally_all"),
            sql.one("tally_sum"),
            sql.one("session_percent", text="100% %(text)s"),
        ]

    assert await remote.write(change) == [
        [{"name": "no\N{REPLACEMENT CHARACTER}thing", "count": 1}],
        {"total": 1},
        {"rest": 3, "same": True, "text": "100% %(text)s"},
    ]
    assert type((await remote.read(lambda sql: sql.one("tally_sum")) or {})["total"]) is int


async def test_a_database_that_is_not_there_is_told_without_its_password(url: str) -> None:
    with pytest.raises(StorageError, match="cannot connect to the database") as caught:
        await open_postgres(url.replace("/postgres?", ":hushhush@/nowhere?").replace("@:", ":"), InlineRunner())
    assert "hushhush" not in str(caught.value)


async def test_a_store_hears_of_what_others_commit_and_not_of_its_own(remote: Remote, url: str) -> None:
    other = await open_postgres(url, ThreadRunner())
    heard = remote.changes()
    await anext(heard)  # it listens now
    await remote.write(add("own"))
    waiting = asyncio.ensure_future(anext(heard))
    await asyncio.to_thread(lambda: None)
    assert await other.read(tallies) == {"own": 1}
    assert not waiting.done(), "it heard of its own change, or of a mere query"
    await other.write(add("others"))
    await asyncio.wait_for(waiting, 20)
    await heard.aclose()
    await other.close()


async def test_a_change_that_was_undone_is_told_to_nobody_alone(remote: Remote, url: str) -> None:
    heard = remote.changes()
    await anext(heard)
    waiting = asyncio.ensure_future(anext(heard))
    with outside(url) as connection:
        connection.execute("BEGIN; SELECT pg_notify('trackside', 'undone'); ROLLBACK")
        await remote.read(tallies)
        assert not waiting.done()
        connection.execute("SELECT pg_notify('trackside', 'done')")
    await asyncio.wait_for(waiting, 20)
    await heard.aclose()


async def test_a_listener_whose_connection_ends_says_so(remote: Remote) -> None:
    heard = remote.changes()
    await anext(heard)
    waiting = asyncio.ensure_future(anext(heard))
    need_server().restart()
    with pytest.raises(StorageError, match="listen"):
        await asyncio.wait_for(waiting, 20)
    assert await remote.write(add("a")) == 1, "nothing else depends on the listener"
