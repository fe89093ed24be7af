"""Whoever is killed, in whatever order: what is known of the run stays true."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import ExecutorError, NotAdoptableError
from bot.executors.contract import StopEvidence
from bot.executors.processes.identity import Identity, alive, identify
from bot.executors.processes.tree import marked
from bot.executors.shell.environment import run_mark
from bot.executors.shell.executor import ShellExecutor
from bot.executors.supervisor.run_directory import Launch
from tests.executors.orders import EXECUTION, Host, order
from tests.executors.supervised import gone, kill, left_of, line_of, monitor, run_directory, supervisor

# waits for a word from the test, then ends well; speaks first, so that the test knows it runs
PATIENT = {"script": "echo running > ready; read -r word < go; exit 0"}
HIDDEN = {
    "script": """
    (env -i setsid sh -c 'trap "" TERM; echo $$ > ready; tail -f /dev/null' &)
    exec tail -f /dev/null
    """
}


@pytest.fixture
def work(work: Path) -> Path:
    os.mkfifo(work / "ready")
    os.mkfifo(work / "go")
    return work


async def let_go(work: Path) -> None:
    await asyncio.to_thread((work / "go").write_text, "go\n")


def identity(pid: str) -> Identity:
    found = identify(int(pid))
    assert found is not None
    return found


def killed_after_launch(state: Path, work: Path) -> dict[str, object]:
    """Launch from a host of its own, kill that, and return what it had persisted."""
    argv = [sys.executable, "-m", "tests.executors.doomed_host", str(state), str(work), json.dumps(PATIENT)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as doomed:
        try:
            assert doomed.stdout is not None
            metadata: dict[str, object] = json.loads(doomed.stdout.readline())
        finally:
            doomed.kill()
    return metadata


@pytest.fixture
def stranger() -> Iterator[Identity]:
    """Give a process that no run started."""
    with subprocess.Popen(["tail", "-f", "/dev/null"]) as started:
        yield identity(str(started.pid))
        started.kill()


async def test_a_run_outlives_its_host_and_its_end_is_learned_by_the_next(state: Path, work: Path) -> None:
    metadata = await asyncio.to_thread(killed_after_launch, state, work)
    handle = await ShellExecutor(state).recover(order(work, PATIENT, epoch=2), metadata)
    assert await line_of(work / "ready") == "running"
    await let_go(work)
    assert (await handle.wait()).ok


async def test_a_run_outlives_its_supervisor(state: Path, work: Path, executor: ShellExecutor, host: Host) -> None:
    handle = await executor.run(order(work, PATIENT), host.context)
    await line_of(work / "ready")
    kill(supervisor(state))
    adopted = await ShellExecutor(state).recover(order(work, PATIENT, epoch=2), host.persisted[0])
    await let_go(work)
    assert (await handle.wait()).ok
    assert (await adopted.wait()).ok


async def test_the_same_key_is_one_run_also_under_the_next_supervisor(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    config = {"script": "echo started >> starts; read -r word < go"}
    await executor.run(order(work, config), host.context)
    first = supervisor(state)
    kill(first)
    handle = await ShellExecutor(state).run(order(work, config), host.context)
    other = order(work, {"command": ["true"]}, key="other", execution="exe-2")
    assert (await (await executor.run(other, host.context)).wait()).ok
    assert supervisor(state) != first
    await let_go(work)
    assert (await handle.wait()).ok
    assert (work / "starts").read_text() == "started\n"


async def test_a_run_can_be_stopped_after_its_supervisor_was_killed(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    await executor.run(order(work, HIDDEN), host.context)
    hidden = identity(await line_of(work / "ready"))
    kill(supervisor(state))
    assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED
    assert not alive(hidden)


async def test_the_end_of_a_run_whose_monitor_was_killed_is_lost(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    handle = await executor.run(order(work, HIDDEN), host.context)
    hidden = identity(await line_of(work / "ready"))
    kill(monitor(run_directory(state, EXECUTION)))
    with pytest.raises(ExecutorError) as raised:
        await handle.wait()
    assert raised.value.code == "lost"
    with pytest.raises(NotAdoptableError):
        await executor.recover(order(work, HIDDEN, epoch=2), host.persisted[0])
    # the supervisor inherited what the monitor watched over, so even this end can be proven
    assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED
    assert not alive(hidden)


async def test_one_lost_run_does_not_touch_another(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    await executor.run(order(work, HIDDEN), host.context)
    await line_of(work / "ready")
    other = await executor.run(order(work, PATIENT, key="other", execution="exe-2"), host.context)
    await line_of(work / "ready")
    kill(monitor(run_directory(state, EXECUTION)))
    assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED
    await let_go(work)
    assert (await other.wait()).ok


async def test_without_monitor_and_supervisor_a_stop_kills_what_it_finds_and_proves_nothing(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:  # C-76
    await executor.run(order(work, PATIENT), host.context)
    run = run_directory(state, EXECUTION)
    await line_of(work / "ready")
    (program,) = marked(run_mark(run))
    kill(supervisor(state))
    kill(monitor(run))
    assert await executor.stop(EXECUTION, 1) is StopEvidence.UNKNOWN
    gone(program)


async def test_a_process_that_took_over_a_recorded_pid_is_neither_trusted_nor_killed(
    state: Path, work: Path, executor: ShellExecutor, stranger: Identity
) -> None:
    run = run_directory(state, EXECUTION)
    run.make()
    os.mkfifo(run.lifeline)
    run.claim_launch(Launch("key", stranger._replace(started=stranger.started - 1)))
    with pytest.raises(NotAdoptableError):
        await executor.recover(order(work, PATIENT), {})
    assert await executor.stop(EXECUTION, 1) is StopEvidence.UNKNOWN
    assert alive(stranger)


async def test_metadata_of_another_launch_is_not_trusted(work: Path, executor: ShellExecutor, host: Host) -> None:
    await (await executor.run(order(work, {"command": ["true"]}), host.context)).wait()
    metadata = dict(host.persisted[0])
    await executor.recover(order(work, PATIENT), metadata)
    recorded = metadata["monitor"]
    assert isinstance(recorded, dict)
    metadata["monitor"] = recorded | {"started": 1}
    with pytest.raises(NotAdoptableError):
        await executor.recover(order(work, PATIENT), metadata)


async def test_what_ran_before_the_machine_was_started_again_is_over(state: Path, executor: ShellExecutor) -> None:
    run = run_directory(state, EXECUTION)
    run.make()
    os.mkfifo(run.lifeline)
    run.claim_launch(Launch("key", Identity(1, 1, "an earlier boot/1")))
    assert await executor.stop(EXECUTION, 1) is StopEvidence.STOPPED


async def test_what_runs_in_another_container_is_not_taken_for_over(state: Path, executor: ShellExecutor) -> None:
    """The control for the test above: somebody holds the lifeline."""
    run = run_directory(state, EXECUTION)
    run.make()
    os.mkfifo(run.lifeline)
    run.claim_launch(Launch("key", Identity(1, 1, "another namespace/1")))
    with run.lifeline.open("r+b", buffering=0):
        assert await executor.stop(EXECUTION, 1) is StopEvidence.UNKNOWN


async def test_a_spoilt_record_proves_nothing(state: Path, work: Path, executor: ShellExecutor) -> None:
    run = run_directory(state, EXECUTION)
    run.make()
    (run.path / "launch.json").write_text("{")
    assert await executor.stop(EXECUTION, 1) is StopEvidence.UNKNOWN
    with pytest.raises(NotAdoptableError):
        await executor.recover(order(work, PATIENT), {})


async def test_hosts_that_start_at_once_share_one_supervisor(state: Path, work: Path, host: Host) -> None:
    config = {"command": ["true"]}
    orders = [order(work, config, key=str(number), execution=f"exe-{number}") for number in range(3)]
    handles = await asyncio.gather(*(ShellExecutor(state).run(each, host.context) for each in orders))
    await asyncio.gather(*(handle.wait() for handle in handles))
    assert len(left_of(state)) == 1


async def test_a_supervisor_whose_socket_was_removed_is_replaced(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    config = {"command": ["true"]}
    await (await executor.run(order(work, config), host.context)).wait()
    earlier = supervisor(state)
    (state / "supervisor.sock").unlink()
    await (await executor.run(order(work, config, key="2", execution="exe-2"), host.context)).wait()
    assert supervisor(state) != earlier
    gone(earlier)


async def test_a_supervisor_that_cannot_start_is_said_to_be_the_reason(
    state: Path, work: Path, executor: ShellExecutor, host: Host
) -> None:
    (state / "supervisor.lock").mkdir(parents=True)
    with pytest.raises(ExecutorError, match=r"supervisor\.log") as raised:
        await executor.run(order(work, PATIENT), host.context)
    assert (raised.value.code, raised.value.permanent) == ("supervisor", False)
    assert await executor.stop(EXECUTION, 1) is StopEvidence.NEVER_STARTED


async def test_a_state_directory_may_lie_deeper_than_a_socket_address_is_long(
    state: Path, work: Path, host: Host
) -> None:
    deep = state / ("d" * 100) / ("e" * 100)
    executor = ShellExecutor(deep)
    try:
        result = await (await executor.run(order(work, {"command": ["true"]}), host.context)).wait()
        assert result.ok
    finally:
        kill(supervisor(deep))
