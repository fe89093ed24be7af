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
from typing import Protocol

from bot.domain.result import Order, Result
from bot.ids import ExecutionId

PersistRecovery = Callable[[Mapping[str, object]], Awaitable[None]]
"""Store recovery metadata under the attempt's fence. Raises ``StaleEpochError`` when the lease is lost."""


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
    """What a launch may use besides its order."""

    persist: PersistRecovery


class Handle(Protocol):
    """A run that was started or adopted."""

    async def wait(self) -> Result:
        """
        Wait for the end of the run.

        Cancelling the wait says nothing about the run itself (C-74). Raises ``ExecutorError`` when the
        end cannot be observed.
        """
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
