"""Migrations on a SQLite file, also on one that has rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import MigrationError, StorageError
from bot.storage.migrate import Migration
from bot.storage.runner import InlineRunner
from bot.storage.sql import BusyError
from bot.storage.sqlite.upgrade import split
from tests.storage.engine.harness import MIGRATIONS, Backend, Store, add, open_sqlite, tallies

FIRST, SECOND = MIGRATIONS


@pytest.fixture
def backend(files: Backend) -> Backend:
    return files


def third(text: str) -> Migration:
    return Migration(version=3, name="more", text=text)


async def versions(store: Store) -> list[int]:
    return [row["version"] for row in await store.read(lambda sql: sql.all("schema_applied"))]


async def with_rows(backend: Backend, path: Path) -> None:
    """Leave a file with schema 2, a tally ``a`` and a mark on it."""
    store = await backend.open(path)
    await store.write(add("a", 7))
    await store.write(lambda sql: sql.run("mark_new", id="m", tally="a"))
    await store.close()


async def test_a_file_with_rows_keeps_them_and_gets_what_it_lacks(backend: Backend, path: Path) -> None:
    old = await backend.open(path, migrations=[FIRST])
    assert await versions(old) == [1]
    await old.write(add("a", 7))
    await old.close()
    new = await backend.open(path)
    assert await versions(new) == [1, 2]
    assert await new.read(tallies) == {"a": 7}
    await new.close()


async def test_a_trigger_is_applied_as_one_statement_and_works(store: Store) -> None:
    await store.write(lambda sql: sql.run("mark_new", id="banned-but-let-in", tally=None))
    with pytest.raises(StorageError, match="this mark is banned"):
        await store.write(lambda sql: sql.run("mark_new", id="banned", tally=None))
    assert await store.read(lambda sql: sql.all("mark_ids")) == [{"id": "banned-but-let-in"}]


def test_statements_are_split_where_sqlite_ends_them() -> None:
    found = list(split(SECOND))
    assert [statement.split("(")[0].split()[-3:] for statement in found[:1]] == [["CREATE", "TABLE", "ban"]]
    assert found[1].strip().startswith("CREATE TRIGGER")
    assert found[1].endswith("END;")
    assert len(found) == 2


async def test_a_table_that_others_refer_to_can_be_built_anew(backend: Backend, path: Path) -> None:
    await with_rows(backend, path)
    rebuilt = third(
        """
        CREATE TABLE tally_anew (name TEXT PRIMARY KEY, count INTEGER NOT NULL CHECK (count > 0), data BLOB);
        INSERT INTO tally_anew SELECT name, count, data FROM tally;
        DROP TABLE tally;
        ALTER TABLE tally_anew RENAME TO tally; -- as SQLite's manual says
        """
    )
    store = await backend.open(path, migrations=[FIRST, SECOND, rebuilt])
    assert await store.read(tallies) == {"a": 7}
    assert await store.read(lambda sql: sql.all("mark_ids")) == [{"id": "m"}]
    with pytest.raises(StorageError, match="CHECK"):
        await store.write(add("b", 0))
    await store.close()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INSERT INTO tally VALUES ('b', 1, NULL); DELETE FROM nowhere;", "nowhere"),
        ("DELETE FROM tally;", "refer to one that is not there"),
        ("INSERT INTO tally VALUES ('b', 1, NULL); COMMIT;", "must not begin or end a transaction"),
        ("INSERT INTO tally VALUES ('b', 1, NULL); DELETE FROM mark", "does not end"),
    ],
    ids=["fails half way", "leaves a broken reference", "commits by itself", "is cut off"],
)
async def test_a_migration_that_cannot_be_applied_is_refused(
    backend: Backend, path: Path, text: str, reason: str
) -> None:
    await with_rows(backend, path)
    with pytest.raises(MigrationError, match=reason):
        await backend.open(path, migrations=[FIRST, SECOND, third(text)])
    store = await backend.open(path)
    assert await versions(store) == [1, 2]
    assert await store.read(tallies) == {"a": 7}
    await store.close()


async def test_all_missing_migrations_are_applied_or_none(backend: Backend, path: Path) -> None:
    with pytest.raises(MigrationError, match="0003_more"):
        await backend.open(path, migrations=[FIRST, SECOND, third("DELETE FROM nowhere;")])
    store = await backend.open(path, migrations=[FIRST])
    assert await versions(store) == [1]
    await store.close()


async def test_a_migration_that_was_edited_after_it_was_applied_is_refused(backend: Backend, path: Path) -> None:
    await with_rows(backend, path)
    edited = replace(FIRST, text=FIRST.text + "-- a word more\n")
    with pytest.raises(MigrationError, match="0001_tally is not the one"):
        await backend.open(path, migrations=[edited, SECOND])


async def test_a_newer_database_is_refused_with_what_to_do(backend: Backend, path: Path) -> None:
    await with_rows(backend, path)
    with pytest.raises(MigrationError, match=r"schema 2, this version knows 1.*newer version.*backup"):
        await backend.open(path, migrations=[FIRST])


async def test_only_an_upgrade_waits_for_another_that_writes(path: Path) -> None:
    """A file that is up to date opens at once, though another process holds the write lock."""
    await (await open_sqlite(path, InlineRunner(), migrations=[FIRST])).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as outside:
        outside.execute("BEGIN IMMEDIATE")
        store = await open_sqlite(path, InlineRunner(), migrations=[FIRST], upgrade_timeout=50)
        assert await store.read(tallies) == {}
        await store.close()
        with pytest.raises(BusyError):
            await open_sqlite(path, InlineRunner(), upgrade_timeout=50)
