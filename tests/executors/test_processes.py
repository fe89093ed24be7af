from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.executors.processes.ended import ended, held
from bot.executors.processes.identity import Identity, alive, identify, send
from bot.executors.processes.tree import descendants


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["tail", "-f", "/dev/null"]) as started:
        yield started
        started.kill()


def who(process: subprocess.Popen[bytes]) -> Identity:
    found = identify(process.pid)
    assert found is not None
    return found


def no_descriptors(_: int) -> int:
    raise OSError("not on this kernel")


def test_a_signal_reaches_the_very_process(process: subprocess.Popen[bytes]) -> None:
    assert send(who(process), signal.SIGTERM)
    assert process.wait() == -signal.SIGTERM


@pytest.mark.parametrize("change", [{"started": 1}, {"realm": "another boot/1"}])
def test_a_stranger_with_the_same_pid_gets_no_signal(
    process: subprocess.Popen[bytes], change: dict[str, object]
) -> None:
    stranger = who(process)._replace(**change)  # type: ignore[arg-type] # as parametrized
    assert not alive(stranger)
    assert not send(stranger, signal.SIGKILL)
    assert process.poll() is None


def test_a_process_that_ended_but_was_not_reaped_is_not_alive(process: subprocess.Popen[bytes]) -> None:
    known = who(process)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not alive(known)
    assert not send(known, signal.SIGKILL)


def test_a_name_with_parentheses_and_spaces_is_read_over(tmp_path: Path) -> None:
    program = tmp_path / "a) R 1 (b"
    program.symlink_to("/usr/bin/tail")
    with subprocess.Popen([program, "-f", "/dev/null"]) as started:
        try:
            assert who(started) in descendants(os.getpid())
        finally:
            started.kill()


def test_a_branch_can_be_left_out(process: subprocess.Popen[bytes]) -> None:
    assert who(process) in descendants(os.getpid())
    assert who(process) not in descendants(os.getpid(), without=[process.pid])


@pytest.mark.parametrize(
    "value",
    [None, 7, {}, {"pid": 0, "started": 1, "realm": "r"}, {"pid": -1, "started": 1, "realm": "r"}],
)
def test_a_record_that_could_mean_a_whole_group_is_no_identity(value: object) -> None:
    assert Identity.parse(value) is None


def test_an_identity_survives_its_record() -> None:
    mine = identify(os.getpid())
    assert mine is not None
    assert Identity.parse(mine.record()) == mine


async def test_an_end_is_waited_for(process: subprocess.Popen[bytes], tmp_path: Path) -> None:
    waiting = asyncio.create_task(ended(who(process), tmp_path / "none"))
    process.kill()
    await waiting
    # and again, now that it is over
    await ended(Identity(process.pid, 1, "another"), tmp_path / "none")


async def test_without_process_descriptors_an_end_shows_at_the_lifeline(tmp_path: Path) -> None:
    lifeline = tmp_path / "lifeline"
    os.mkfifo(lifeline)
    writer = os.open(lifeline, os.O_RDWR)
    try:
        assert held(lifeline)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await ended(Identity(1, 1, "here"), lifeline, pidfd_open=no_descriptors)
        waiting = asyncio.create_task(ended(Identity(1, 1, "here"), lifeline, pidfd_open=no_descriptors))
    finally:
        os.close(writer)
    await waiting
    assert not held(lifeline)


async def test_a_lifeline_that_was_cut_before_is_not_waited_for(tmp_path: Path) -> None:
    lifeline = tmp_path / "lifeline"
    os.mkfifo(lifeline)
    for path in (lifeline, tmp_path / "missing"):
        await ended(Identity(1, 1, "here"), path, pidfd_open=no_descriptors)
        assert not held(path)
