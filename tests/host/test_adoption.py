"""A run that is in progress when the host is ended: it goes on, and its end is the next host's to see."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

from bot.clock import SystemClock
from bot.demo.world import BOT, DEVELOPER, FILES, REPOSITORY
from bot.domain.execution import Execution
from bot.domain.result import Outcome
from bot.domain.work import Work, WorkState
from bot.executors.processes.identity import alive
from bot.executors.supervisor.run_directory import RunDirectory
from bot.host.config import load_config
from bot.host.sections import TOKEN
from bot.host.store import open_store
from bot.ids import ExecutionId
from bot.storage.contract import Tx
from bot.storage.runner import InlineRunner
from tests.host.service import Desk, service, write_config
from tests.scenarios import processes

PLAYBOOK = """\
---
name: tidy
on: {label: "run:tidy"}
kind: work-issue
running: tidying
default: help
binding:
  executor: shell
  script: read -r word < "$GATE"; trackside turn "$word"
  env: {GATE: "%s"}
statuses:
  tidying: {label: "state:tidying"}
  help: {label: "state:help", wait: [comment]}
  done: {label: "state:done", complete: true}
---
Tidy up.
"""


# ag-G01
async def test_a_run_goes_on_without_the_host_and_is_finished_by_the_next(desk: Desk, tmp_path: Path) -> None:
    # C-56, C-58
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    config = await prepare(desk, tmp_path, gate)
    async with service(config, desk.token) as first:
        await first.event("launched")
        first.send(signal.SIGTERM)
        assert await first.ended() == 0

    run = the_run(tmp_path)
    program = run.process()
    assert program is not None
    assert alive(program)
    _, left = await look(config, desk)
    assert (left.epoch, left.outcome) == (1, None)
    assert left.lease_until <= SystemClock().now(), "the lease was not given back"

    async with service(config, desk.token) as second:
        assert (await second.event("adopted"))["epoch"] == 2
        assert alive(program)
        await asyncio.to_thread(gate.write_text, "done\n")
        await second.event("finished")
        second.send(signal.SIGTERM)
        assert await second.ended() == 0

    assert the_run(tmp_path).path == run.path, "it was launched a second time"
    work, ended = await look(config, desk)
    assert (work.state, work.attempts) == (WorkState.COMPLETED, 1)
    assert (ended.outcome, ended.status) == (Outcome.COMPLETED, "done")
    assert "Traceback" not in "\n".join(first.lines + second.lines)
    processes.assert_none_left(tmp_path)


async def prepare(desk: Desk, directory: Path, gate: Path) -> Path:
    """Open an issue that starts a run, whose program waits for a word at the gate. Returns a configuration."""
    owner, _, name = REPOSITORY.partition("/")
    await desk.tracker.add_user(DEVELOPER)
    await desk.tracker.create_repository(owner, name, FILES)
    for login in (BOT, DEVELOPER):
        await desk.tracker.grant(REPOSITORY, login, "write")
    issue = await desk.tracker.open_issue(REPOSITORY, by=DEVELOPER, title="Tidy up")
    await desk.tracker.label(REPOSITORY, issue.number, "run:tidy", by=DEVELOPER)
    (directory / "tidy.md").write_text(PLAYBOOK % gate)
    return write_config(directory, url=desk.url, playbooks='["tidy.md"]')


def the_run(directory: Path) -> RunDirectory:
    """Return the one run that was ever launched."""
    (launch,) = (directory / "bot" / "shell" / "runs").glob("*/*/launch.json")
    return RunDirectory(launch.parent)


async def look(config: Path, desk: Desk) -> tuple[Work, Execution]:
    """Return the one Work and its one attempt, as the host has left them."""

    def only(tx: Tx) -> tuple[Work, Execution]:
        execution = tx.executions.get(ExecutionId(the_run(config.parent).path.parent.name))
        return tx.works.get(execution.work), execution

    store = await open_store(load_config(config, {TOKEN: desk.token}), InlineRunner())
    try:
        return await store.read(only)
    finally:
        await store.close()
