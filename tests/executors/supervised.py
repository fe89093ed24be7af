"""What a test may know of a state directory's processes, and how it ends them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
from pathlib import Path

from bot.executors.processes.identity import Identity, identify, send
from bot.executors.supervisor import files
from bot.executors.supervisor.run_directory import RunDirectory


def supervisor(state: Path) -> Identity:
    """Return the process that last served the state directory."""
    found = Identity.parse(files.read_record(state / "supervisor.json"))
    assert found is not None
    return found


def run_directory(state: Path, execution: str, epoch: int = 1) -> RunDirectory:
    return RunDirectory(state / "runs" / execution / str(epoch))


def monitor(run: RunDirectory) -> Identity:
    launch = run.launch()
    assert launch is not None
    return launch.monitor


def kill(who: Identity) -> None:
    """Kill this very process and wait until it is gone."""
    if send(who, signal.SIGKILL):
        gone(who)


def gone(who: Identity) -> None:
    """Wait until this very process has ended."""
    with contextlib.suppress(ProcessLookupError):
        pinned = os.pidfd_open(who.pid)
        try:
            if identify(who.pid) == who:
                poll = select.poll()
                poll.register(pinned, select.POLLIN)
                assert poll.poll(30_000), f"{who} does not end"
        finally:
            os.close(pinned)


async def line_of(fifo: Path) -> str:
    """Wait for a program to write to a fifo, and return what it wrote."""
    return (await asyncio.to_thread(fifo.read_text)).strip()


def end_everything(state: Path) -> None:
    """End every run and the supervisor, each by its own recorded id."""
    for path in (state / "runs").glob("*/*"):
        run = RunDirectory(path)
        try:
            launch = run.launch()
        except ValueError:
            # spoilt by the test; a process of it would be seen in ``left_of``
            continue
        if launch is not None and identify(launch.monitor.pid) == launch.monitor:
            run.request_stop(0)
            send(launch.monitor, signal.SIGTERM)
            gone(launch.monitor)
    if (state / "supervisor.json").exists():
        served = supervisor(state)
        send(served, signal.SIGTERM)
        gone(served)


def left_of(state: Path) -> list[str]:
    """Return the command lines of processes that belong to the state directory: its own, or by their mark."""
    return [
        (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        for path in Path("/proc").iterdir()
        if path.name.isdecimal() and path.name != str(os.getpid()) and _mentions(path, str(state).encode())
    ]


def _mentions(process: Path, state: bytes) -> bool:
    try:
        arguments = (process / "cmdline").read_bytes().split(b"\0")
        environment = (process / "environ").read_bytes()
    except OSError:
        return False
    return (b"bot.executors.supervisor" in arguments and state in arguments) or (
        b"TRACKSIDE_RUN=" + state + b"/" in environment
    )
