from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.executors.processes.identity import Identity
from bot.executors.processes.tree import marked
from bot.executors.shell.executor import ShellExecutor
from tests.executors.conformance import Behaviour, ExecutorConformance
from tests.executors.orders import EXECUTION
from tests.executors.supervised import line_of

# the hidden one leaves its parent, its session and its group, and does not heed TERM
LINGER = """
echo started >> starts
(setsid sh -c 'trap "" TERM; echo hidden > ready; tail -f /dev/null' &)
exec tail -f /dev/null
"""
SCRIPTS = {
    Behaviour.SUCCEED: "echo started >> starts",
    Behaviour.FAIL: "echo started >> starts; exit 3",
    Behaviour.LINGER: LINGER,
}


@dataclass
class ShellSubject:
    state: Path
    work: Path

    def executor(self) -> ShellExecutor:
        return ShellExecutor(self.state, grace=100)

    def config(self, behaviour: Behaviour) -> Mapping[str, object]:
        return {"script": SCRIPTS[behaviour]}

    def wrong_config(self) -> Mapping[str, object]:
        return {"command": "a string"}

    async def lingering(self) -> None:
        assert await line_of(self.work / "ready") == "hidden"

    def starts(self) -> int:
        starts = self.work / "starts"
        return len(starts.read_text().splitlines()) if starts.exists() else 0

    def left(self) -> Sequence[Identity]:
        runs = self.state / "runs" / EXECUTION
        return [who for epoch in range(1, 4) for who in marked(f"TRACKSIDE_RUN={runs / str(epoch)}")]


class TestShell(ExecutorConformance):
    @pytest.fixture
    def subject(self, state: Path, work: Path) -> ShellSubject:
        os.mkfifo(work / "ready")
        return ShellSubject(state, work)
