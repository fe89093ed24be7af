"""Opening a file: how its connections are set, and files that cannot be used."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.errors import StorageError
from bot.storage.runner import InlineRunner
from bot.storage.sql import BusyError
from tests.storage.engine.harness import Backend, Store, add, open_sqlite, tallies

PAGE = 4_096


@pytest.fixture
def backend(files: Backend) -> Backend:
    return files


def overwrite(path: Path, content: bytes) -> None:
    """Put these bytes at the end of the file."""
    kept = path.read_bytes()[: -len(content)] if path.exists() else b""
    path.write_bytes(kept + content)


async def pragma(store: Store, name: str) -> list[object]:
    """Return the value that the writer has, and that a reader has."""
    statement = f"pragma_{name}"
    rows = [
        await store.write(lambda sql: sql.one(statement)),
        await store.read(lambda sql: sql.one(statement)),
    ]
    return [value for row in rows for value in (row or {}).values()]


async def test_every_connection_is_set_for_safety(backend: Backend, path: Path) -> None:
    store = await backend.open(path, durable=True, busy_timeout=1_234)
    full = 2
    assert await pragma(store, "journal_mode") == ["wal", "wal"]
    assert await pragma(store, "synchronous") == [full, full]
    assert await pragma(store, "busy_timeout") == [1_234, 1_234]
    assert (await pragma(store, "foreign_keys"))[0] == 1
    assert await pragma(store, "query_only") == [0, 1]
    await store.close()


async def test_a_database_that_is_thrown_away_need_not_be_synced(store: Store) -> None:
    assert await pragma(store, "synchronous") == [0, 0]


async def test_closing_leaves_one_file(backend: Backend, path: Path) -> None:
    store = await backend.open(path)
    await store.read(tallies)
    await store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def test_a_file_that_another_holds_without_a_log_is_tried_again_after_it_let_go(path: Path) -> None:
    """SQLite refuses to start a log at once where it would wait for any other lock."""
    with closing(sqlite3.connect(path, isolation_level=None)) as outside:
        for text in ("CREATE TABLE other (id)", "INSERT INTO other VALUES (1)", "BEGIN"):
            outside.execute(text)
        outside.execute("SELECT id FROM other").fetchall()

        def let_go(text: str) -> None:
            if outside.in_transaction and text.startswith("BEGIN"):
                outside.execute("ROLLBACK")

        store = await open_sqlite(path, InlineRunner(), trace=let_go, upgrade_timeout=0)
        assert await pragma(store, "journal_mode") == ["wal", "wal"]
        await store.close()


async def test_a_file_that_another_never_lets_go_is_busy(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as outside:
        outside.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BusyError):
            await open_sqlite(path, InlineRunner(), upgrade_timeout=0)


async def test_a_file_that_is_no_database_is_refused_by_its_name(backend: Backend, path: Path) -> None:
    overwrite(path, b"something else entirely, and long enough to be looked at " * 20)
    with pytest.raises(StorageError, match=r"store\.db.*not a database"):
        await backend.open(path)


async def test_a_directory_that_is_missing_is_named(backend: Backend, path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot open .*nowhere"):
        await backend.open(path.parent / "nowhere" / "store.db")


async def test_a_database_without_a_log_is_refused() -> None:
    with pytest.raises(StorageError, match="write-ahead log"):
        await open_sqlite(Path(":memory:"), InlineRunner())


async def test_a_damaged_file_is_refused_when_it_is_checked(backend: Backend, path: Path) -> None:
    store = await backend.open(path)
    for number in range(300):
        await store.write(add(f"t{number}"))
    await store.close()
    await (await backend.open(path, check=True)).close()
    overwrite(path, b"\xff" * PAGE)
    await (await backend.open(path)).close()  # nothing looks at that page yet
    with pytest.raises(StorageError, match="damaged"):
        await backend.open(path, check=True)
