"""
What every executor must do.

An executor is called outside any transaction (C-17). Its methods are idempotent by ``Order.key``: running
the same key twice is one run. It persists recovery metadata through the fenced callback *before* it
returns a handle (C-52), so that a host that was killed finds the run again with ``recover``.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from bot.domain.account import Account
from bot.domain.control import Injection
from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.domain.retry import RetryHint
from bot.ids import ExecutionId
from bot.scheduler.phases import Trail, unrecorded

PersistRecovery = Callable[[Mapping[str, object]], Awaitable[None]]
"""Store recovery metadata under the attempt's fence. Raises ``StaleEpochError`` when the lease is lost."""

Release = Callable[[], Awaitable[None]]
"""
Let the processes of a launch run, which its sandbox holds until then (see ``bot.executors.sandbox``).

Raises ``StaleEpochError`` when the lease is lost, and ``ExecutorError`` when the sandbox cannot be made.
"""


async def unconfined() -> None:
    """Let a launch run that no sandbox holds."""


class StopEvidence(enum.Enum):
    """What is known about a run after it was told to stop (C-76, C-81)."""

    STOPPED = "stopped"
    """No process of the run is left; proven."""
    NEVER_STARTED = "never started"
    """No process of the run was ever started, and none can be any more; proven."""
    UNKNOWN = "unknown"
    """Something may be running still: the slot stays taken."""


@dataclass(frozen=True, kw_only=True)
class ExecutionContext:
    """
    What a launch may use besides its order.

    ``release`` is awaited once, when all is ready and before any process of the run may act. ``trail`` records the
    steps inside the launch, such as a sandbox being made (C-46).
    """

    persist: PersistRecovery
    release: Release = unconfined
    trail: Trail = unrecorded


class Handle(Protocol):
    """A run that was started or adopted."""

    async def wait(self) -> Result:
        """
        Wait for the end of the run.

        Cancelling the wait says nothing about the run itself (C-74). Raises ``ExecutorError`` when the
        end cannot be observed.
        """
        ...


@runtime_checkable
class TakesInput(Protocol):
    """A handle whose run takes further input while it runs: that of an executor with ``Capability.INJECT``."""

    async def inject(self, message: Injection) -> None:
        """
        Hand input to the run, and return when the run has it: that it took it up is for its result to say (C-133).

        The same ``message.key`` may come again, when nobody knew whether it had arrived (C-134). Raises
        ``NotAcceptingError`` when the run takes nothing now, and ``ExecutorError`` when it may not have arrived;
        ``permanent`` when it never will.
        """
        ...


@runtime_checkable
class Interruptible(Protocol):
    """An executor that can ask a run to stop its turn: one with ``Capability.INTERRUPT``."""

    async def interrupt(self, execution: ExecutionId, epoch: int) -> None:
        """
        Ask the run to stop, and return when it was told, or has wound up.

        It may come again, also for a run that is gone. It proves nothing: ``stop`` follows in any case (C-142). Raises
        ``ExecutorError``.
        """
        ...


@runtime_checkable
class Resumes(Protocol):
    """An executor that can go on with a run that stopped inside its turn: one with ``Capability.RESUME``."""

    async def resume(self, order: Order, context: ExecutionContext) -> Handle:
        """
        Go on from ``order.session``, which the result named that stopped the run, within what is left of its time.

        The order is a launch like any other, with a key of its own, and holds what came since. Otherwise as ``run``.
        """
        ...


@runtime_checkable
class HintsRetry(Protocol):
    """What an ``ExecutorError`` offers when its executor knows when trying again makes sense (C-119)."""

    @property
    def retry_hint(self) -> RetryHint | None:
        """The hint; None when it cannot tell."""
        ...


@runtime_checkable
class UsesAccount(Protocol):
    """What an executor offers beyond its contract when its runs use a provider's account."""

    @property
    def account(self) -> Account | None:
        """The account, as it is configured now; None when its runs use none."""
        ...


class Executor(Protocol):
    """One registration: a kind of program that can take a turn."""

    @property
    def name(self) -> str:
        """The word by which bindings name it."""
        ...

    @property
    def pool(self) -> str:
        """The capacity pool that its runs count against: ``agents`` or ``jobs`` (C-143, C-148)."""
        ...

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What its runs can take beside their order; an attempt is pinned to what was declared at its claim (C-132)."""
        ...

    def check(self, config: Mapping[str, object]) -> None:
        """Raise ``ConfigError`` when a binding's config is not one that this executor can run."""
        ...

    async def run(self, order: Order, context: ExecutionContext) -> Handle:
        """
        Start the order's run, once.

        Raises ``ExecutorError`` when it could not be started; ``permanent`` when trying again cannot help.
        """
        ...

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Handle:
        """Adopt a run that an earlier host started. Never starts one. Raises ``NotAdoptableError``."""
        ...

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        """Stop the whole process tree of an attempt (also of one whose launch was never confirmed)."""
        ...
