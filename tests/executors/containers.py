"""
A model of a container daemon, a sandbox that uses it, and an executor that runs within such sandboxes.

Containers outlive hosts. A container holds its process until it is let go.
"""

from __future__ import annotations

import asyncio
import enum
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.domain.steps import LaunchStep
from bot.errors import NotAdoptableError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.executors.sandbox import Bound, Pin
from bot.ids import ExecutionId
from bot.scheduler.phases import Trail


class State(enum.Enum):
    """Where a container stands."""

    HELD = "held"
    RUNS = "runs"
    REMOVED = "removed"


@dataclass(kw_only=True)
class Container:
    """One container, made for one launch."""

    execution: ExecutionId
    epoch: int
    state: State = State.HELD


@dataclass(kw_only=True)
class Daemon:
    """All containers that were ever made. Making one waits for its image, which is ``pulled`` when the test says so."""

    containers: list[Container] = field(default_factory=list)
    pulled: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    def states(self) -> list[State]:
        return [each.state for each in self.containers]

    async def create(self, order: Order) -> Container:
        self.asked.set()
        await self.pulled.wait()
        made = Container(execution=order.execution, epoch=order.epoch)
        self.containers.append(made)
        return made


@dataclass(frozen=True, kw_only=True)
class ContainerSandbox:
    """A ``SandboxBinding``. Its plan is the order's directory."""

    daemon: Daemon

    async def bind(self, order: Order, trail: Trail, pin: Pin) -> Bound:
        async def release() -> None:
            async with trail(LaunchStep.SANDBOX_PLAN):
                digest = hashlib.sha256(order.directory.encode()).hexdigest()
            async with trail(LaunchStep.SANDBOX_CREATE):
                self._clear(order)
                container = await self.daemon.create(order)
            try:
                async with trail(LaunchStep.SANDBOX_PIN):
                    await pin(digest)
            except BaseException:
                container.state = State.REMOVED
                raise
            container.state = State.RUNS

        return Bound(order=replace(order, directory="/inside"), release=release)

    def _clear(self, order: Order) -> None:
        for container in self.daemon.containers:
            if container.execution == order.execution and container.state is State.HELD:
                container.state = State.REMOVED


@dataclass(frozen=True)
class Watch:
    """A handle on a run that never ends."""

    epoch: int

    async def wait(self) -> Result:
        await asyncio.Event().wait()
        raise AssertionError


@dataclass(kw_only=True)
class SimulatedExecutor:
    """
    An ``Executor`` that keeps what it was asked.

    It stores how to find a run after the start of its process, as executors may. ``hangs`` names Work whose launch
    never comes back, ``hangs_in_recovery`` Work whose adoption does not. One that is not ``obedient`` starts its
    process without waiting for the sandbox; one that ``forgets`` never comes to tell how to find it.
    """

    name: str = "agent"
    pool: str = "agents"
    capabilities: frozenset[Capability] = frozenset()
    obedient: bool = True
    forgets: bool = False
    hangs: frozenset[str] = frozenset()
    hangs_in_recovery: frozenset[str] = frozenset()
    orders: list[Order] = field(default_factory=list)
    recovered: list[Order] = field(default_factory=list)
    stopped: list[ExecutionId] = field(default_factory=list)
    processes: list[str] = field(default_factory=list)
    called: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)

    def check(self, config: Mapping[str, object]) -> None:
        """Run whatever it is told."""
        del config

    async def run(self, order: Order, context: ExecutionContext) -> Watch:
        self.orders.append(order)
        self.called.set()
        if order.work in self.hangs:
            await asyncio.Event().wait()
        if self.obedient:
            await context.release()
        self.processes.append(order.key)
        self.started.set()
        if self.forgets:
            await asyncio.Event().wait()
        await context.persist({"epoch": order.epoch})
        return Watch(order.epoch)

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Watch:
        self.recovered.append(order)
        if order.work in self.hangs_in_recovery:
            await asyncio.Event().wait()
        if not any(key.startswith(f"{order.execution}/") for key in self.processes):
            raise NotAdoptableError("no launch of this attempt was found", code="not-found")
        return Watch(int(str(metadata.get("epoch", order.epoch))))

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        del epoch
        self.stopped.append(execution)
        return StopEvidence.UNKNOWN
