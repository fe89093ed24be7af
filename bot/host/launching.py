"""
From an attempt that is ours to a handle on its run: everything that a launch needs, step by step under one lease.

::

    run, resume   toolbelt → environment → workspace → sandbox → launch.begin → executor → launch.confirm
    adoption                               workspace →                          executor → launch.confirm

Each step is recorded as it begins and as it ends (C-43, C-44).
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.clock import Millis
from bot.domain.execution import Execution, Fence
from bot.domain.result import Order
from bot.domain.steps import LaunchStep
from bot.domain.work import Work
from bot.errors import ExecutorError
from bot.executors.contract import ExecutionContext, Executor, Handle, Resumes
from bot.executors.sandbox import Bound, SandboxBinding
from bot.host.environment import LaunchContext, RunEnvironment, environment
from bot.host.executors import ExecutorsOf
from bot.host.faults import contained
from bot.ids import ScopeId
from bot.playbook.playbook import Playbook
from bot.playbook.words import Sandbox
from bot.scheduler import launch
from bot.scheduler.phases import Trail, Write, recorded
from bot.storage.contract import Tx
from bot.storage.works import Input


class MakeOrder(Protocol):
    """Prepares what a run needs: its workspace and its prompt."""

    async def make(self, work: Work, execution: Execution, inputs: tuple[Input, ...], token: str) -> Order:
        """Return the order. Raises ``ExecutorError`` when the workspace cannot be prepared."""
        ...


class NameOf(Protocol):
    """Knows what repositories are called."""

    async def name(self, scope: ScopeId) -> str:
        """Return ``owner/name``."""
        ...


@dataclass(frozen=True, kw_only=True)
class Taken:
    """An attempt that is ours to drive."""

    work: Work
    execution: Execution
    inputs: tuple[Input, ...]
    adopt: bool


@dataclass(frozen=True, kw_only=True)
class Launching:
    """
    Launches and adopts runs. ``write`` runs a change at the time of the clock.

    ``environments`` are asked in their order. ``sandboxes`` are those that a playbook may demand here.
    """

    write: Write
    executors: ExecutorsOf
    orders: MakeOrder
    places: NameOf
    environments: Sequence[RunEnvironment] = ()
    sandboxes: Mapping[Sandbox, SandboxBinding] = field(default_factory=dict)

    async def handle(self, taken: Taken) -> Handle:
        """
        Start the run of an attempt, or find it again, and record that there is one.

        Raises ``ExecutorError`` when that cannot be done, ``StaleEpochError`` when the attempt is not ours any more,
        and ``TrackerError``.
        """
        execution = taken.execution
        executor = await self.executors.of(execution.binding)
        trail = recorded(execution.fence, self.write)
        if taken.adopt:
            handle = await self._adopt(taken, executor, trail)
        else:
            handle = await self._launch(taken, executor, trail)
        await self.write(lambda tx, now: launch.confirm(tx, execution.fence, now))
        return handle

    async def _adopt(self, taken: Taken, executor: Executor, trail: Trail) -> Handle:
        """Find a run again. Its environment is what it was started with (C-25), and so are its token and sandbox."""
        execution = taken.execution
        async with trail(LaunchStep.WORKSPACE):
            order = await self.orders.make(taken.work, execution, taken.inputs, "")
        async with trail(LaunchStep.EXECUTOR):
            with contained():
                handle = await executor.recover(order, execution.recovery or {})
            if execution.recovery is None:
                await self.write(lambda tx, now: launch.persist_recovery(tx, execution.fence, {}, now))
        return handle

    async def _launch(self, taken: Taken, executor: Executor, trail: Trail) -> Handle:
        execution, fence = taken.execution, taken.execution.fence
        start = _start(executor, execution)
        async with trail(LaunchStep.TOOLBELT):
            token = secrets.token_urlsafe(32)
        repository = await self.places.name(taken.work.scope)
        context = LaunchContext(work=taken.work, execution=execution, repository=repository, trail=trail)
        variables = await environment(self.environments, context)
        async with trail(LaunchStep.WORKSPACE):
            order = await self.orders.make(taken.work, execution, taken.inputs, token)
        left = execution.deadline - execution.segments.open.started_at
        order = replace(order, environment=variables, timeout=left, session=execution.suspended or {})
        bound = await self._bind(order, execution, trail)
        async with trail(LaunchStep.EXECUTOR):
            digest = token_digest(token)
            isolated = bound is not None
            await self.write(lambda tx, now: launch.begin(tx, fence, token=digest, isolated=isolated, now=now))
            with contained():
                if bound is None:
                    return await start(order, ExecutionContext(persist=self._persist(fence), trail=trail))
                confined = ExecutionContext(persist=self._persist(fence), trail=trail, release=bound.release)
                return await start(bound.order, confined)

    async def _bind(self, order: Order, execution: Execution, trail: Trail) -> Bound | None:
        """Bind a launch to the sandbox that its playbook demands; without that it does not run at all."""
        demanded = Playbook.from_document(execution.binding.playbook).binding.sandbox
        if demanded in {None, Sandbox.NONE}:
            return None
        sandbox = self.sandboxes.get(Sandbox(demanded))
        if sandbox is None:
            raise ExecutorError(f"there is no sandbox {demanded}", code="unsupported", permanent=True)
        async with trail(LaunchStep.SANDBOX):
            return await sandbox.bind(order, trail, self._pin(execution.fence))

    def _pin(self, fence: Fence) -> Callable[[str], Awaitable[None]]:
        async def pin(digest: str) -> None:
            await self.write(lambda tx, now: launch.pin_sandbox(tx, fence, digest, now))

        return pin

    def _persist(self, fence: Fence) -> Callable[[Mapping[str, object]], Awaitable[None]]:
        async def persist(metadata: Mapping[str, object]) -> None:
            def change(tx: Tx, now: Millis) -> None:
                launch.persist_recovery(tx, fence, metadata, now)

            await self.write(change)

        return persist


def _start(executor: Executor, execution: Execution) -> Callable[[Order, ExecutionContext], Awaitable[Handle]]:
    """
    Return how this launch begins: a run that was suspended goes on, any other begins anew.

    Raises ``ExecutorError``, permanent, when its executor cannot go on: beginning anew would do its work twice.
    """
    if execution.suspended is None:
        return executor.run
    if not isinstance(executor, Resumes):
        raise ExecutorError(f"the executor {executor.name!r} cannot resume a run", code="unsupported", permanent=True)
    return executor.resume


def token_digest(token: str) -> str:
    """Return what is stored of a toolbelt token."""
    return hashlib.sha256(token.encode()).hexdigest()
