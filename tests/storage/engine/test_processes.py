"""Several processes on one database, and what one leaves behind that is killed, or paused."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from bot.storage.postgres.store import PostgresStore
from bot.storage.runner import InlineRunner
from bot.storage.sql import Sql
from tests.storage.engine.harness import BACKENDS, PATIENCE, Backend, Store, add, open_sqlite, tallies

ROOT = Path(__file__).parents[3]


@pytest.fixture(params=[each for each in BACKENDS if each.groups], ids=lambda backend: backend.name)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@contextmanager
def child(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.storage.engine.child", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_two_processes_lose_no_update_of_each_other(store: Store, backend: Backend, place: str) -> None:
    await store.write(add("shared", 0))
    more = ("increment", backend.name, place, "200")
    with child(*more) as one, child(*more) as two:
        assert [one.wait(PATIENCE), two.wait(PATIENCE)] == [0, 0]
    assert await store.read(tallies) == {"shared": 400}


async def test_what_was_answered_is_there_after_the_process_was_killed(backend: Backend, place: str) -> None:
    with child("answer", backend.name, place) as process:
        assert process.stdout is not None
        answered = list(islice(process.stdout, 60))
        process.kill()
        answered += list(process.stdout)
    # The kill may cut the last line; a name without its line end was not answered in full.
    names = {line.strip() for line in answered if line.endswith("\n")}
    assert len(names) >= 60
    store = await backend.open(place)
    assert names <= (await store.read(tallies)).keys()
    assert await store.write(add("after")) == 1
    await store.close()


async def test_a_killed_process_leaves_a_log_from_which_the_file_is_recovered(path: Path) -> None:
    with child("answer", "sqlite-threads", str(path)) as process:
        assert process.stdout is not None
        list(islice(process.stdout, 60))
        process.kill()
    assert path.with_name(path.name + "-wal").stat().st_size > 0, "nothing was left to recover"
    store = await open_sqlite(path, InlineRunner(), check=True)
    assert len(await store.read(tallies)) >= 60
    await store.close()


async def test_of_processes_that_open_a_new_database_at_once_one_migrates_and_all_go_on(
    backend: Backend, place: str
) -> None:
    with (
        child("arrive", backend.name, place, "a") as a,
        child("arrive", backend.name, place, "b") as b,
        child("arrive", backend.name, place, "c") as c,
        child("arrive", backend.name, place, "d") as d,
    ):
        for process in (a, b, c, d):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in (a, b, c, d):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(PATIENCE) for process in (a, b, c, d)] == [0] * 4
    store = await backend.open(place)
    assert await store.read(tallies) == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert [row["version"] for row in await store.read(lambda sql: sql.all("schema_applied"))] == [1, 2]
    await store.close()


async def test_a_process_that_is_paused_in_a_change_keeps_up_the_others_for_a_moment_only(
    remote: PostgresStore[Sql], url: str
) -> None:
    """It loses its transaction, and is told so when it goes on."""
    with child("pause", "postgres-threads", url) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "inside\n"
        process.send_signal(signal.SIGSTOP)
        assert await remote.write(add("meanwhile")) == 1
        process.send_signal(signal.SIGCONT)
        output, _ = process.communicate("go on\n", timeout=PATIENCE)
    assert output.startswith("refused: tally_new: ")
    assert process.returncode == 0
    assert await remote.read(tallies) == {"afterwards": 1, "meanwhile": 1}
