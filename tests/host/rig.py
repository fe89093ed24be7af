"""A launch as the host makes it, with everything around it simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.domain.execution import Binding, Execution
from bot.domain.result import Order
from bot.domain.work import Work
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.executors.sandbox import SandboxBinding
from bot.host.environment import RunEnvironment
from bot.host.executors import ExecutorsOf
from bot.host.launching import Launching, Taken
from bot.ids import ScopeId
from bot.playbook.words import Sandbox
from bot.scheduler.claim import Claimed
from bot.scheduler.recover import Recovered
from bot.storage.works import Input
from tests.executors.containers import SimulatedExecutor
from tests.factories import make_binding
from tests.playbook.samples import small
from tests.scheduler.bench import Bench

GENERATION = "generation-1"
CONFINED = small(("{executor: claude-code,", "{executor: claude-code, sandbox: bubblewrap,"))


def binding(*, sandboxed: bool = False, **changes: Any) -> Binding:
    """Return a binding with a playbook, which may demand a sandbox."""
    playbook = CONFINED if sandboxed else small()
    return make_binding(playbook=playbook.to_document(), **changes)


@dataclass(kw_only=True)
class PlainOrders:
    """A ``MakeOrder`` without a workspace. ``fault`` is what it raises instead."""

    fault: Exception | None = None
    made: int = 0

    async def make(self, work: Work, execution: Execution, inputs: tuple[Input, ...], token: str) -> Order:
        del inputs
        self.made += 1
        if self.fault is not None:
            raise self.fault
        return Order(
            key=f"{execution.id}/{execution.epoch}",
            work=work.id,
            execution=execution.id,
            epoch=execution.epoch,
            attempt=execution.number,
            executor=execution.binding.executor,
            config=execution.binding.config,
            prompt="Do it.",
            directory="/outside",
            timeout=execution.binding.timeout,
            token=token,
        )


class OnePlace:
    """Every scope is the same repository."""

    async def name(self, scope: ScopeId) -> str:
        del scope
        return "Acme/Greeter"


def no_rebuild(document: Mapping[str, object]) -> Mapping[str, Executor]:
    """Make nothing anew."""
    raise AssertionError(document)


@dataclass(kw_only=True)
class Rig:
    """Launches on a bench."""

    bench: Bench
    executor: SimulatedExecutor = field(default_factory=SimulatedExecutor)
    orders: PlainOrders = field(default_factory=PlainOrders)
    environments: Sequence[RunEnvironment] = ()
    sandboxes: Mapping[Sandbox, SandboxBinding] = field(default_factory=dict)

    @property
    def launching(self) -> Launching:
        return Launching(
            write=self.bench.do,
            executors=ExecutorsOf(
                registry=Registry(Generation(GENERATION, [self.executor])), store=self.bench.store, rebuild=no_rebuild
            ),
            orders=self.orders,
            places=OnePlace(),
            environments=self.environments,
            sandboxes=self.sandboxes,
        )

    async def claimed(self, number: int = 1, *, sandboxed: bool = False, **changes: Any) -> Taken:
        claimed = await self.bench.claimed(number, binding=binding(sandboxed=sandboxed), **changes)
        return taken(claimed)

    async def launched(self, ours: Taken) -> Execution:
        await self.launching.handle(ours)
        return await self.bench.execution(ours.execution.id)


def taken(ours: Claimed | Recovered) -> Taken:
    """Return what the host drives of a claim or a recovery."""
    adopt = isinstance(ours, Recovered) and not ours.relaunch
    return Taken(work=ours.work, execution=ours.execution, inputs=ours.inputs, adopt=adopt)
