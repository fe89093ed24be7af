"""Migrations on a PostgreSQL database, also on one that has rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from bot.errors import MigrationError, StorageError
from bot.storage.migrate import Migration
from bot.storage.runner import InlineRunner
from bot.storage.sql import BusyError
from tests.storage.engine.harness import POSTGRES_MIGRATIONS, Store, add, open_postgres, tallies

FIRST, SECOND = POSTGRES_MIGRATIONS
LOCK = "SELECT pg_advisory_xact_lock(7310579482)"


def third(text: str) -> Migration:
    return Migration(version=3, name="more", text=text)


async def opened(url: str, *more: Migration, **settings: Any) -> Store:
    return await open_postgres(url, InlineRunner(), migrations=[FIRST, SECOND, *more], **settings)


async def versions(store: Store) -> list[int]:
    return [row["version"] for row in await store.read(lambda sql: sql.all("schema_applied"))]


async def with_rows(url: str) -> None:
    """Leave a database with schema 2, a tally ``a`` and a mark on it."""
    store = await opened(url)
    await store.write(add("a", 7))
    await store.write(lambda sql: sql.run("mark_new", id="m", tally="a"))
    await store.close()


async def test_a_database_with_rows_keeps_them_and_gets_what_it_lacks(url: str) -> None:
    old = await open_postgres(url, InlineRunner(), migrations=[FIRST])
    assert await versions(old) == [1]
    await old.write(add("a", 7))
    await old.close()
    new = await opened(url)
    assert await versions(new) == [1, 2]
    assert await new.read(tallies) == {"a": 7}
    await new.close()


async def test_a_trigger_is_applied_with_its_function_and_works(url: str) -> None:
    store = await opened(url)
    await store.write(lambda sql: sql.run("mark_new", id="banned-but-let-in", tally=None))
    with pytest.raises(StorageError, match="this mark is banned"):
        await store.write(lambda sql: sql.run("mark_new", id="banned", tally=None))
    assert await store.read(lambda sql: sql.all("mark_ids")) == [{"id": "banned-but-let-in"}]
    await store.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INSERT INTO tally VALUES ('b', 1, NULL); DELETE FROM nowhere;", '0003_more: relation "nowhere" does not'),
        ("DELETE FROM tally;", "upgrade: .*violates foreign key"),
        ("INSERT INTO tally VALUES ('b', 1, NULL); COMMIT;", "0003_more: a migration must not begin or end a trans"),
        ("INSERT INTO tally VALUES ('b', 1, NULL); ROLLBACK; BEGIN;", "must not begin or end a transaction"),
        ("INSERT INTO tally VALUES ('b', 1, NULL); DELETE FROM", "0003_more: syntax error at end of input"),
    ],
    ids=["fails half way", "leaves a broken reference", "commits by itself", "rolls back", "is cut off"],
)
async def test_a_migration_that_cannot_be_applied_is_refused(url: str, text: str, reason: str) -> None:
    await with_rows(url)
    with pytest.raises(StorageError, match=reason):
        await opened(url, third(text))
    store = await opened(url)
    assert await versions(store) == [1, 2]
    assert await store.read(tallies) == {"a": 7}
    await store.close()


async def test_all_missing_migrations_are_applied_or_none(url: str) -> None:
    with pytest.raises(MigrationError, match="0003_more"):
        await opened(url, third("DELETE FROM nowhere;"))
    store = await open_postgres(url, InlineRunner(), migrations=[FIRST])
    assert await versions(store) == [1]
    await store.close()


async def test_a_migration_that_was_edited_after_it_was_applied_is_refused(url: str) -> None:
    await with_rows(url)
    edited = replace(FIRST, text=FIRST.text + "-- a word more\n")
    with pytest.raises(MigrationError, match="0001_tally is not the one"):
        await open_postgres(url, InlineRunner(), migrations=[edited, SECOND])


async def test_a_newer_database_is_refused_with_what_to_do(url: str) -> None:
    await with_rows(url)
    with pytest.raises(MigrationError, match=r"schema 2, this version knows 1.*newer version.*backup"):
        await open_postgres(url, InlineRunner(), migrations=[FIRST])


async def test_only_an_upgrade_waits_for_another_host_that_writes(url: str) -> None:
    """A database that is up to date is opened at once, though another host is writing."""
    await (await open_postgres(url, InlineRunner(), migrations=[FIRST])).close()
    with psycopg.connect(url, autocommit=True) as outside, outside.transaction():
        outside.execute(LOCK)
        store = await open_postgres(url, InlineRunner(), migrations=[FIRST], upgrade_timeout=50)
        assert await store.read(tallies) == {}
        await store.close()
        with pytest.raises(BusyError):
            await opened(url, upgrade_timeout=50)
