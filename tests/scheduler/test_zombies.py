"""A host that was stopped in the middle of its work, outlives its lease and goes on: it changes nothing any more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.domain.execution import Fence
from bot.errors import StaleEpochError
from bot.scheduler.recover import recover
from bot.storage.contract import Tx
from tests import factories
from tests.scheduler.bench import Bench
from tests.scheduler.zombie import WORK, writes
from tests.storage.backend import Backend
from tests.storage.twice import Writable

ROOT = Path(__file__).parents[2]
PATIENCE = 60
NOT_UNDER_A_FENCE = {"release: None", "free: False"}
"""What is answered by a value instead of a refusal."""


def start(stack: ExitStack, what: str, backend: Backend, place: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.scheduler.zombie", what, backend.name, place]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stack.enter_context(process)
    stack.callback(process.kill)
    return process


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def freeze(process: subprocess.Popen[str]) -> None:
    """Stop a process, and return once it stands still."""
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)


# gh-Z-18, gh-Z-02, ag-G10, C-18, C-73
@pytest.mark.parametrize("other", ["taker", "watcher"], ids=["taken over", "not taken over"])
async def test_a_process_that_was_stopped_past_its_lease_writes_nothing_more(
    store: Writable[Tx], backend: Backend, place: str, other: str
) -> None:
    await factories.ready_work(store)
    with ExitStack() as stack:
        zombie = start(stack, "holder", backend, place)
        assert line(zombie) == "blocked"
        freeze(zombie)
        said = line(start(stack, other, backend, place))
        assert said == ("took 2" if other == "taker" else "lapsed")
        (before,) = await store.read(lambda tx: tx.executions.of_work(WORK))
        os.kill(zombie.pid, signal.SIGCONT)
        answers = zombie.communicate("go on\n", timeout=PATIENCE)[0].splitlines()
    assert answers[-1] == "lost", "its holder gives up by itself"
    refused = {f"{name}: refused" for name in writes(before)} | NOT_UNDER_A_FENCE
    assert set(answers[:-1]) <= refused, "whatever it tried was refused"
    (after,) = await store.read(lambda tx: tx.executions.of_work(WORK))
    if other == "taker":
        assert after == before
        assert after.recovery == {"pid": 2}
    else:
        # It gave back what it had lost anyway.
        assert (after.epoch, after.recovery, after.outcome) == (1, {"pid": 1}, None)


# gh-Z-18 (negative control)
async def test_a_process_that_goes_on_within_its_lease_may_write(
    store: Writable[Tx], backend: Backend, place: str
) -> None:
    await factories.ready_work(store)
    with ExitStack() as stack:
        living = start(stack, "holder", backend, place)
        assert line(living) == "blocked"
        assert living.stdin is not None
        living.stdin.write("go on\n")
        living.stdin.flush()
        assert line(living).startswith("begin: Execution(")


class Renewed:
    """A holder whose clock stands still, as that of a process that is stopped."""

    def __init__(self, bench: Bench, fence: Fence) -> None:
        self._bench, self._fence, self._now = bench, fence, bench.clock.now()

    async def tries(self, name: str) -> object:
        execution = await self._bench.execution(self._fence.execution)
        old = {**vars(execution), "epoch": self._fence.epoch}
        change = writes(type(execution)(**old))[name]
        return await self._bench.store.write(lambda tx: change(tx, self._now))


FENCED = ("begin", "persist", "confirm", "renew", "result", "postpone", "finish", "time out")


# gh-Z-18, gh-Z-01, gh-Z-25, C-73
@pytest.mark.parametrize("name", FENCED)
async def test_a_holder_whose_clock_stood_still_is_refused_by_its_epoch_alone(bench: Bench, name: str) -> None:
    """To it, its lease looks alive: what it read of the time is from before it was stopped."""
    execution = await bench.running()
    zombie = Renewed(bench, execution.fence)
    taken = await bench.recovered(execution.id)
    with pytest.raises(StaleEpochError):
        await zombie.tries(name)
    assert await bench.execution(execution.id) == taken.execution


# gh-Z-02
async def test_a_recovery_that_was_slow_does_not_touch_what_was_finished_meanwhile(bench: Bench) -> None:
    execution = await bench.running()
    seen = await bench.execution(execution.id)
    await bench.fail(execution.fence)
    ended = await bench.execution(execution.id)
    bench.clock.advance(factories.LEASE)
    assert await bench.see(lambda tx: tx.executions.lapsed(bench.clock.now())) == []
    assert await bench.do(lambda tx, now: recover(tx, seen, owner="b", lease=1, now=now)) is None
    assert await bench.execution(execution.id) == ended
