"""
Holding a lease while something slow happens.

One holder holds an attempt's lease from its claim, through launch and observation, until it ends (C-15). The
lease is renewed on every tick; when a renewal is refused, what runs under it is cancelled at once (C-14).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from bot.domain.execution import Fence
from bot.errors import StaleEpochError

T = TypeVar("T")

Renew = Callable[[Fence], Awaitable[object]]
"""Renew a lease. Raises ``StaleEpochError`` when it is lost."""


async def hold(fence: Fence, ticks: AsyncIterator[None], renew: Renew, body: Coroutine[Any, Any, T]) -> T:
    """
    Run ``body`` and renew the lease on every tick until it is done.

    Raises ``StaleEpochError`` as soon as a renewal is refused, after ``body`` has been cancelled; a renewal that
    fails for another reason is tried again at the next tick, since the lease outlives a few.
    """
    work = asyncio.ensure_future(body)
    renewing = asyncio.ensure_future(_renew_on(fence, ticks, renew))
    try:
        await asyncio.wait({work, renewing}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            renewing.result()
            raise StaleEpochError
        return work.result()
    finally:
        for task in (work, renewing):
            task.cancel()
        await asyncio.gather(work, renewing, return_exceptions=True)


async def _renew_on(fence: Fence, ticks: AsyncIterator[None], renew: Renew) -> None:
    async for _ in ticks:
        try:
            await renew(fence)
        except StaleEpochError:
            raise
        except Exception:  # noqa: BLE001, S112 - a busy database must not end a run while its lease still lives
            continue
