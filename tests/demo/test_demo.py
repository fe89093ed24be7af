"""``trackside demo`` as a person starts it: the whole story, Ctrl-C, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from bot.demo.bot import end_runs
from bot.executors.processes.identity import alive
from bot.executors.shell.executor import ShellExecutor
from tests.executors.orders import EXECUTION, Host, order
from tests.executors.supervised import gone, run_directory, supervisor
from tests.scenarios import processes

PATIENCE = 100.0


@asynccontextmanager
async def demo(directory: Path, port: int, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a demo with a terminal's process group of its own; what is left of it at the end is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "bot.cli", "demo", "--directory", str(directory), *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**os.environ, "DEMO_PORT": str(port)},
        process_group=0,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def nothing_is_left(directory: Path) -> bool:
    """Wait for the supervisor, which was told to end, and return whether no other process is there."""
    state = directory / "bot" / "shell"
    if state.exists():
        gone(supervisor(state))
    return list(processes.of(directory)) == []


@pytest.mark.timeout(120)
async def test_the_story_is_told_once_and_nothing_is_left_running(tmp_path: Path) -> None:
    port = free_port()
    async with demo(tmp_path, port, "--once") as process, asyncio.timeout(PATIENCE):
        out, _ = await process.communicate()
    text = out.decode()
    assert process.returncode == 0, text
    assert text.startswith(f"The tracker: http://127.0.0.1:{port}/acme/greeter\n")
    assert text.endswith("The story is told.\n")
    assert text.count("/acme/greeter/issues/") == 3
    assert "✗" not in text
    assert "Traceback" not in (tmp_path / "bot.log").read_text()
    assert nothing_is_left(tmp_path)


@pytest.mark.timeout(120)
async def test_ctrl_c_ends_the_demo_in_order(tmp_path: Path) -> None:
    port = free_port()
    async with demo(tmp_path, port) as process, asyncio.timeout(PATIENCE):
        assert process.stdout is not None
        text = (await process.stdout.readuntil(b"Ctrl-C ends the demo.")).decode()
        assert text.startswith(f"The tracker is at http://127.0.0.1:{port}/acme/greeter\n")
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://127.0.0.1:{port}/acme/greeter")).is_success
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = await process.communicate()
    assert (process.returncode, rest) == (0, b"\n")
    assert '"event": "ended"' in (tmp_path / "bot.log").read_text().splitlines()[-1]
    assert nothing_is_left(tmp_path)


async def test_what_a_bot_has_left_running_is_ended(tmp_path: Path) -> None:
    # ag-F05
    state = tmp_path / "shell"
    await ShellExecutor(state).run(order(tmp_path, {"command": ["sleep", "3600"]}), Host().context)
    program, watching = run_directory(state, EXECUTION).process(), supervisor(state)
    assert program is not None
    assert alive(program)
    await end_runs(tmp_path)
    assert not alive(program)
    gone(watching)
    assert not alive(watching)


async def test_a_bot_that_started_nothing_has_nothing_to_end(tmp_path: Path) -> None:
    await end_runs(tmp_path / "bot")
    assert not (tmp_path / "bot").exists()
