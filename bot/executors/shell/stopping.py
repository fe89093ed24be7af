"""
Stopping an attempt, with evidence.

The monitor does the stopping, as only it can prove that nothing is left. The host asks, waits for the
monitor's end and reads what it wrote. Where the monitor is gone without a word, its supervisor may have the
proof; else what can be found is killed, and the answer stays "unknown": something may have hidden.
"""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from bot.clock import SECOND
from bot.executors.contract import StopEvidence
from bot.executors.processes.ended import ended, held
from bot.executors.processes.identity import Identity, realm, send
from bot.executors.processes.tree import descendants, marked
from bot.executors.shell.environment import run_mark
from bot.executors.supervisor.client import SupervisorClient
from bot.executors.supervisor.exit_record import End
from bot.executors.supervisor.run_directory import RunDirectory, launches

CLEARING = 10 * SECOND
"""How long a monitor may take, beyond the grace, to kill what is left; milliseconds."""


def forbid(attempt: Path, epoch: int, grace: int) -> list[RunDirectory]:
    """Forbid every launch of the attempt up to ``epoch``; return the runs that were launched before."""
    mark = RunDirectory(attempt / str(epoch))
    mark.make()
    mark.request_stop(grace)
    # looked for only after the mark stands: a launch that is missed here sees the mark
    launched = [run for run in launches(attempt) if run.epoch <= epoch and run.was_launched()]
    for run in launched:
        run.request_stop(grace)
    return launched


async def stop(run: RunDirectory, supervisor: SupervisorClient, grace: int) -> StopEvidence:
    """Stop one launched run and return what is proven then."""
    try:
        launch = run.launch()
    except ValueError:
        launch = None
    if launch is None:
        return StopEvidence.UNKNOWN
    evidence = _written(run)
    if evidence is None and send(launch.monitor, signal.SIGTERM):
        try:
            async with asyncio.timeout((grace + CLEARING) / 1000):
                await ended(launch.monitor, run.lifeline)
        except TimeoutError:
            return StopEvidence.UNKNOWN
    evidence = evidence or _written(run)
    if evidence is None:
        evidence = await _stop_lost(run, launch.monitor, supervisor)
    return evidence


def combine(evidence: list[StopEvidence]) -> StopEvidence:
    """Return what is proven of an attempt, given what is proven of each of its launches."""
    if StopEvidence.UNKNOWN in evidence:
        return StopEvidence.UNKNOWN
    return StopEvidence.STOPPED if StopEvidence.STOPPED in evidence else StopEvidence.NEVER_STARTED


async def _stop_lost(run: RunDirectory, monitor: Identity, supervisor: SupervisorClient) -> StopEvidence:
    if monitor.realm != realm() and not held(run.lifeline):
        # the boot or container that it ran in is over, and took all of its processes along
        return StopEvidence.STOPPED
    await supervisor.settle(run)
    evidence = _written(run)
    if evidence is None:
        await asyncio.to_thread(_kill_found, run)
    return evidence or StopEvidence.UNKNOWN


def _written(run: RunDirectory) -> StopEvidence | None:
    try:
        end = run.exit()
    except ValueError:
        return None
    if end is None:
        return None
    return StopEvidence.NEVER_STARTED if end.end is End.REFUSED else StopEvidence.STOPPED


def _kill_found(run: RunDirectory) -> None:
    found = marked(run_mark(run))
    for root in found:
        for process in (*descendants(root.pid), root):
            send(process, signal.SIGKILL)
