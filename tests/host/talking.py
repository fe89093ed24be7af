"""Runs that can be talked to: they live in memory, outlive hosts, and say what the test tells them to say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.domain.control import Injection
from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.errors import NotAdoptableError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.ids import ExecutionId


@dataclass(kw_only=True)
class Talk:
    """
    A run and its handle.

    ``faults`` are raised one by one before input is taken; input that is said twice is heard once. While ``deaf`` is
    set, whoever talks to it waits.
    """

    heard: dict[str, Injection] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)
    deaf: bool = False
    result: Result = field(default_factory=lambda: Result(ok=True))
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> Result:
        await self.ended.wait()
        return self.result

    async def inject(self, message: Injection) -> None:
        self.said.append(message.key)
        if self.deaf:
            await asyncio.Event().wait()
        if self.faults:
            raise self.faults.pop(0)
        self.heard[message.key] = message

    def end(self) -> None:
        """End well, having taken up what was heard."""
        self.result = Result(ok=True, consumed=tuple(message.event for message in self.heard.values()))
        self.ended.set()


@dataclass(kw_only=True)
class TalkingExecutor:
    """An executor of such runs. ``events`` are what it was asked; ``faults`` are its answers to being asked to stop."""

    name: str = "agent"
    pool: str = "agents"
    capabilities: frozenset[Capability] = frozenset({Capability.INJECT, Capability.INTERRUPT})
    runs: dict[ExecutionId, Talk] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def check(self, config: Mapping[str, object]) -> None:
        del config

    async def run(self, order: Order, context: ExecutionContext) -> Talk:
        run = self.runs.setdefault(order.execution, Talk())
        await context.persist({"run": 1})
        return run

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Talk:
        del metadata
        if order.execution not in self.runs:
            raise NotAdoptableError
        return self.runs[order.execution]

    async def interrupt(self, execution: ExecutionId, epoch: int) -> None:
        self.events.append(f"interrupt {execution}/{epoch}")
        if self.faults:
            raise self.faults.pop(0)

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        self.events.append(f"stop {execution}/{epoch}")
        self.runs[execution].ended.set()
        return StopEvidence.STOPPED


class SilentExecutor(TalkingExecutor):
    """One that was registered later, under the same name, and whose runs take nothing."""
