"""Runs that say, one after the other, what a test wrote down for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.ids import ExecutionId

Line = Result | Exception


@dataclass(kw_only=True)
class Scene:
    """A run and its handle: it says its line when it is ``due``."""

    line: Line
    due: asyncio.Event

    async def wait(self) -> Result:
        await self.due.wait()
        if isinstance(self.line, Exception):
            raise self.line
        return self.line


@dataclass(kw_only=True)
class ScriptedExecutor:
    """
    An executor of such runs, which cannot resume one.

    ``lines`` are what its runs say, in the order of their launches; ``calls`` what it was asked. A ``fault`` is raised
    by everything that it is asked, instead.
    """

    name: str = "agent"
    pool: str = "agents"
    capabilities: frozenset[Capability] = frozenset()
    lines: list[Line] = field(default_factory=list)
    calls: list[tuple[str, Order]] = field(default_factory=list)
    fault: Exception | None = None
    due: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.due.set()

    def check(self, config: Mapping[str, object]) -> None:
        del config

    async def run(self, order: Order, context: ExecutionContext) -> Scene:
        return await self._launch("run", order, context)

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Scene:
        del metadata
        return self._asked("recover", order)

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        del execution, epoch
        if self.fault is not None:
            raise self.fault
        return StopEvidence.STOPPED

    async def _launch(self, what: str, order: Order, context: ExecutionContext) -> Scene:
        scene = self._asked(what, order)
        await context.persist({"key": order.key})
        return scene

    def _asked(self, what: str, order: Order) -> Scene:
        self.calls.append((what, order))
        if self.fault is not None:
            raise self.fault
        return Scene(line=self.lines.pop(0), due=self.due)


@dataclass(kw_only=True)
class ResumingExecutor(ScriptedExecutor):
    """One that can resume them."""

    capabilities: frozenset[Capability] = frozenset({Capability.RESUME})

    async def resume(self, order: Order, context: ExecutionContext) -> Scene:
        return await self._launch("resume", order, context)
