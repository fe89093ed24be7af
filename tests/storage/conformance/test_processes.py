"""Two processes on one store behave like one: no lock of a process takes part in any decision (C-18)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from bot.domain.budget import whole
from bot.domain.event import Routing
from bot.domain.execution import Phase
from tests.factories import ready_work
from tests.storage.backend import Backend
from tests.storage.conformance.conftest import Store

ROOT = Path(__file__).parents[3]
PATIENCE = 60
WORKS = 24


def race(what: str, backend: Backend, place: str, *more: str) -> list[list[str]]:
    """Run a program in two processes that begin together, and return the lines that each printed."""
    with ExitStack() as stack:
        rivals = [stack.enter_context(_start(what, backend, place, name, more)) for name in ("one", "two")]
        for rival in rivals:
            stack.callback(rival.kill)
        for rival in rivals:
            assert rival.stdout is not None
            assert rival.stdout.readline() == "ready\n"
        for rival in rivals:
            assert rival.stdin is not None
            rival.stdin.write("go\n")
            rival.stdin.flush()
        printed = [rival.communicate(timeout=PATIENCE)[0].split("\n")[:-1] for rival in rivals]
        assert [rival.returncode for rival in rivals] == [0, 0]
        return printed


def _start(what: str, backend: Backend, place: str, name: str, more: Sequence[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.storage.conformance.child", what, backend.name, place, name, *more]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


# C-18, C-19
async def test_two_processes_start_one_attempt_of_each_work(store: Store, backend: Backend, place: str) -> None:
    works = [await ready_work(store, number) for number in range(1, WORKS + 1)]
    one, two = race("claim", backend, place, "1000")
    claimed = [line.split() for line in (*one, *two)]
    assert sorted(work for work, _ in claimed) == sorted(work.id for work in works)
    live = await store.read(lambda tx: tx.executions.live())
    assert sorted((each.work, each.id) for each in live) == sorted((work, execution) for work, execution in claimed)
    assert {each.number for each in live} == {1}


# C-18, C-19
async def test_two_processes_never_exceed_a_capacity_together(store: Store, backend: Backend, place: str) -> None:
    for number in range(1, WORKS + 1):
        await ready_work(store, number)
    one, two = race("claim", backend, place, "5")
    assert len(one) + len(two) == 5
    assert await store.read(lambda tx: tx.executions.slots_of_pool("agents")) == 5
    assert [each.phase for each in await store.read(lambda tx: tx.executions.live())] == [Phase.LAUNCHING] * 5
    assert len(await store.read(lambda tx: tx.works.ready())) == WORKS - 5


# ag-H02, gh-B-01, C-19
async def test_two_processes_never_start_past_a_budget_together(store: Store, backend: Backend, place: str) -> None:
    """Fifty starts of one under a budget of twenty and a half, all at once: twenty start."""
    for number in range(1, 51):
        await ready_work(store, number)
    one, two = race("spend", backend, place, "20.5")
    assert len(one) + len(two) == 20
    assert await store.read(lambda tx: tx.ledgers.reserved("usd/all/life")) == whole(20)
    assert len(await store.read(lambda tx: tx.executions.live())) == 20
    assert len(await store.read(lambda tx: tx.works.ready())) == 30, "the others wait, and are not held"


# ag-H02, gh-B-01, C-196
async def test_two_processes_start_everything_that_a_budget_allows(store: Store, backend: Backend, place: str) -> None:
    for number in range(1, 11):
        await ready_work(store, number)
    one, two = race("spend", backend, place, "10")
    assert len(one) + len(two) == 10


async def test_two_processes_accept_each_fact_once_and_number_without_a_gap(
    store: Store, backend: Backend, place: str
) -> None:
    # gh-D-04
    one, two = race("accept", backend, place, "25")
    shared = [f"shared-{number}" for number in range(25)]
    assert sorted(key for key in (*one, *two) if key.startswith("shared")) == sorted(shared)
    events = await store.read(lambda tx: tx.events.by_routing(Routing.PENDING, limit=1_000))
    assert [event.seq for event in events] == list(range(1, 76))
    for name, printed in (("one", one), ("two", two)):
        order = [event.natural_key for event in events if event.id.startswith(f"evt-{name}-")]
        assert order == printed, "each process's facts are numbered in the order of its commits"


# C-19
async def test_two_processes_open_one_work_on_each_item(store: Store, backend: Backend, place: str) -> None:
    one, two = race("label", backend, place, "20")
    assert len(one) + len(two) == len({*one, *two}) == 20
    live = await store.read(lambda tx: tx.works.all_live())
    assert sorted(work.item for work in live) == sorted((*one, *two))
