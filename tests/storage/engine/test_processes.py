"""Several processes on one file, and what one leaves behind that is killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from bot.storage.runner import InlineRunner
from tests.storage.engine.harness import PATIENCE, add, open_sqlite, tallies

ROOT = Path(__file__).parents[3]


@contextmanager
def child(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.storage.engine.child", *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_two_processes_lose_no_update_of_each_other(path: Path) -> None:
    store = await open_sqlite(path, InlineRunner())
    await store.write(add("shared", 0))
    with child("increment", path, "200") as one, child("increment", path, "200") as two:
        assert [one.wait(PATIENCE), two.wait(PATIENCE)] == [0, 0]
    assert await store.read(tallies) == {"shared": 400}
    await store.close()


async def test_what_was_answered_is_there_after_the_process_was_killed(path: Path) -> None:
    with child("answer", path) as process:
        assert process.stdout is not None
        answered = list(islice(process.stdout, 60))
        process.kill()
        answered += list(process.stdout)
    # The kill may cut the last line; a name without its line end was not answered in full.
    names = {line.strip() for line in answered if line.endswith("\n")}
    assert len(names) >= 60
    assert path.with_name(path.name + "-wal").stat().st_size > 0, "nothing was left to recover"
    store = await open_sqlite(path, InlineRunner(), check=True)
    assert names <= (await store.read(tallies)).keys()
    assert await store.write(add("after")) == 1
    await store.close()


async def test_of_processes_that_open_a_new_file_at_once_one_migrates_and_all_go_on(path: Path) -> None:
    with (
        child("arrive", path, "a") as a,
        child("arrive", path, "b") as b,
        child("arrive", path, "c") as c,
        child("arrive", path, "d") as d,
    ):
        for process in (a, b, c, d):
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in (a, b, c, d):
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(PATIENCE) for process in (a, b, c, d)] == [0] * 4
    store = await open_sqlite(path, InlineRunner())
    assert await store.read(tallies) == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert [row["version"] for row in await store.read(lambda sql: sql.all("schema_applied"))] == [1, 2]
    await store.close()
