"""What the scheduler may know."""

from __future__ import annotations

import ast
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot.scheduler
from bot.clock import DAY
from bot.domain.admission import Reason
from bot.scheduler.recover import confirm_stopped
from bot.storage.contract import Tx
from tests.scheduler.bench import Bench
from tests.scheduler.controlled import offered, taken, talking

ROOT = Path(bot.scheduler.__file__).parent
OWN = ("bot.clock", "bot.domain", "bot.errors", "bot.ids", "bot.scheduler")
REPOSITORIES = {"bot.storage.contract", "bot.storage.works", "bot.storage.ledgers"}
STANDARD = {"__future__", "asyncio", "collections", "contextlib", "dataclasses", "enum", "json", "re", "typing"}
CONSTANTS = ("TypeVar(", "frozenset(", "re.compile(")
"""The calls whose value nothing can change afterwards."""


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def strangers(source: str) -> set[str]:
    """Return what a module imports beyond the domain, the contract of storage and some of the standard library."""
    return {
        name
        for name in imported(source)
        if not name.startswith(OWN) and name not in REPOSITORIES and name.partition(".")[0] not in STANDARD
    }


# C-02
def test_the_scheduler_imports_no_process_service_database_or_configuration() -> None:
    files = sorted(ROOT.glob("*.py"))
    assert len(files) > 10
    assert {file.name: found for file in files if (found := strangers(file.read_text()))} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import sqlite3",
        "import subprocess",
        "from bot.storage.sqlite.store import SqliteStore",
        "from bot.storage import runner",
        "from bot.host.config import Config",
        "import httpx",
        "def late() -> None:\n    import socket",
    ],
)
def test_an_import_that_the_scheduler_must_not_have_would_be_found(line: str) -> None:
    assert strangers(line)


# C-02
def test_loading_the_scheduler_loads_no_database_or_service() -> None:
    names = ", ".join(f"bot.scheduler.{file.stem}" for file in ROOT.glob("*.py") if file.stem != "__init__")
    program = f"import sys, {names}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "bot.scheduler.claim" in loaded
    assert {"sqlite3", "pydantic", "httpx", "fastapi", "bot.storage.sqlite"}.isdisjoint(loaded)


# C-18
def test_nothing_in_the_scheduler_is_kept_between_two_calls() -> None:
    """Module-level state, such as a lock or a table of what is running, would make two processes differ from one."""
    for file in ROOT.glob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                assert not isinstance(node.value, ast.Call) or ast.unparse(node.value).startswith(CONSTANTS), file.name
            assert not any(isinstance(inner, ast.Global) for inner in ast.walk(node)), file.name


# C-03
async def test_what_is_due_stays_undone_until_a_host_asks_for_it(bench: Bench) -> None:
    """Starts, recoveries, retries, controls and stops: nothing in here has a task or a clock of its own."""
    ready, lapsed, told = await bench.ready(1), await bench.running(2), await talking(bench, 3)
    control = await offered(bench, told)
    failed, stopping = await bench.running(4), await bench.running(5)
    for execution, stopped in ((failed, True), (stopping, False)):
        await bench.fail(execution.fence, stopped=stopped)
    timer = await bench.timer(failed.work)
    assert timer is not None
    started = (lapsed, told, failed, stopping)

    def everything(tx: Tx) -> object:
        works = [tx.works.get(each) for each in (ready.id, *(execution.work for execution in started))]
        attempts = [tx.executions.of_work(work.id) for work in works]
        pending = [tx.inputs.pending(work.id) for work in works]
        return works, attempts, pending, tx.timers.next_due(), tx.controls.get(control.id), tx.events.newest()

    before = await bench.see(everything)
    await taken(bench, control)
    assert await bench.see(everything) != before, "negative control: a host's call is seen"
    before = await bench.see(everything)
    bench.clock.advance(DAY)
    await asyncio.sleep(0)
    assert await bench.see(everything) == before
    assert len(asyncio.all_tasks()) == 1

    await bench.claim(ready)
    assert await bench.recover(lapsed.id) is not None
    assert await bench.fire(timer)
    assert await bench.refusal(await bench.work(stopping.work)) is Reason.RETRY_DUE
    assert await bench.do(lambda tx, _: confirm_stopped(tx, stopping.fence))


def looks_into(source: str) -> list[str]:
    """Return what a module does with what an executor stored, beyond asking whether it is there."""
    tree = ast.parse(source)
    asked = {
        id(node.left)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "None"
    }
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and id(node) not in asked]
    return [ast.unparse(node) for node in found if node.attr in {"recovery", "suspended"}]


# C-81
def test_what_an_executor_stores_to_find_a_run_again_is_its_own() -> None:
    assert {file.name: found for file in ROOT.glob("*.py") if (found := looks_into(file.read_text()))} == {}
    assert looks_into("pid = execution.recovery['pid']") == ["execution.recovery"], "negative control"
