"""What the scheduler may know."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot.scheduler

ROOT = Path(bot.scheduler.__file__).parent
OWN = ("bot.clock", "bot.domain", "bot.errors", "bot.ids", "bot.scheduler")
REPOSITORIES = {"bot.storage.contract", "bot.storage.works"}
STANDARD = {"__future__", "asyncio", "collections", "dataclasses", "enum", "json", "typing"}


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
    assert {"sqlite3", "pydantic", "httpx", "fastapi", "structlog", "bot.storage.sqlite"}.isdisjoint(loaded)


# C-18
def test_nothing_in_the_scheduler_is_kept_between_two_calls() -> None:
    """Module-level state, such as a lock or a table of what is running, would make two processes differ from one."""
    for file in ROOT.glob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                assert not isinstance(node.value, ast.Call) or ast.unparse(node.value).startswith("TypeVar"), file.name
            assert not any(isinstance(inner, ast.Global) for inner in ast.walk(node)), file.name
