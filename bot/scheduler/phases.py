"""
Recording a launch, step by step, while it happens (C-44).

Each step is written under the fence as it begins and again as it ends, so that a slow one shows while it runs. What
launches is given a ``Trail`` and uses it like this::

    async with trail(LaunchStep.WORKSPACE):
        …
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any

from bot.clock import Millis
from bot.domain.execution import Fence
from bot.domain.steps import LaunchStep, StepOutcome
from bot.errors import StaleEpochError, StorageError
from bot.scheduler.launch import held
from bot.storage.contract import Tx

Trail = Callable[[LaunchStep], AbstractAsyncContextManager[None]]
"""Record a step of a launch around what is done in it. It raises nothing of its own (C-45)."""

Write = Callable[[Callable[[Tx, Millis], Any]], Awaitable[Any]]
"""Run a change at the time of the host's clock."""


def begin_step(tx: Tx, fence: Fence, step: LaunchStep, now: Millis) -> None:
    """Record that a step of the launch has begun. Raises ``StaleEpochError``."""
    execution = held(tx, fence, now)
    tx.executions.write(replace(execution, segments=execution.segments.begin_step(step, now)), now)


def end_step(tx: Tx, fence: Fence, step: LaunchStep, outcome: StepOutcome, now: Millis) -> None:
    """Record how a step of the launch ended. Raises ``StaleEpochError``."""
    execution = held(tx, fence, now)
    tx.executions.write(replace(execution, segments=execution.segments.end_step(step, outcome, now)), now)


def recorded(fence: Fence, write: Write) -> Trail:
    """Return the trail of the launch that holds this fence."""

    async def note(change: Callable[[Tx, Millis], None]) -> None:
        try:
            await write(change)
        except (StaleEpochError, StorageError):
            # Only the trail is shorter: a launch that has lost its lease learns so by its next own write (C-45).
            return

    @asynccontextmanager
    async def trail(step: LaunchStep) -> AsyncIterator[None]:
        await note(lambda tx, now: begin_step(tx, fence, step, now))
        outcome = StepOutcome.FAILED
        try:
            yield
            outcome = StepOutcome.OK
        except asyncio.CancelledError:
            outcome = StepOutcome.CANCELLED
            raise
        finally:
            await note(lambda tx, now: end_step(tx, fence, step, outcome, now))

    return trail


def unrecorded(_step: LaunchStep) -> AbstractAsyncContextManager[None]:
    """Record nothing: the trail of a launch that nobody keeps."""
    return nullcontext()
