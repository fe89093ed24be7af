"""
Holding a lease while something slow happens.

One holder holds an attempt's lease from its claim, through launch and observation, until it ends (C-15). The
lease is renewed on every tick; when a renewal is refused, what runs under it is cancelled at once (C-14).

A holder trusts its lease for less long than it lasts, counted from *before* the request that gave it, since nobody
knows when in between it was given (gh-Z-22). When that time is over without another renewal, what runs is cancelled,
also while a renewal hangs (gh-Z-21); a renewal that succeeds after that comes too late.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from bot.clock import Millis
from bot.domain.execution import Fence
from bot.errors import StaleEpochError

T = TypeVar("T")

Renew = Callable[[Fence], Awaitable[object]]
"""Renew a lease. Raises ``StaleEpochError`` when it is lost."""

MARGIN = 6
"""The last part of a lease, one in so many, in which its holder does not trust it any more."""


@dataclass(frozen=True, kw_only=True)
class Keep:
    """
    How a lease is kept: it is renewed on each of ``ticks``, and on each of ``watch`` it is seen whether it is trusted.

    ``length`` is in milliseconds; ``until`` is the end of the lease as its claim asked for it.
    """

    ticks: AsyncIterator[None]
    watch: AsyncIterator[None]
    renew: Renew
    now: Callable[[], Millis]
    length: int
    until: Millis


async def hold(fence: Fence, keep: Keep, body: Coroutine[Any, Any, T]) -> T:
    """
    Run ``body`` and keep its lease until it is done.

    Raises ``StaleEpochError`` as soon as a renewal is refused or the lease is not trusted any more, after ``body`` has
    been cancelled; without running it at all when that is so from the start. A renewal that fails for another reason
    is tried again at the next tick, since the lease outlives a few.
    """
    trust = _Trust(now=keep.now, length=keep.length, over_at=_end(keep.until, keep.length), seen=keep.now())
    if trust.over():
        body.close()
        raise StaleEpochError
    work = asyncio.ensure_future(body)
    keeping = [asyncio.ensure_future(_renew_on(fence, keep, trust)), asyncio.ensure_future(_watch(keep, trust))]
    try:
        await asyncio.wait({work, *keeping}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.wait({work})
            for each in keeping:
                if each.done():
                    each.result()
            raise StaleEpochError
        return work.result()
    finally:
        for task in (work, *keeping):
            task.cancel()
        await asyncio.gather(work, *keeping, return_exceptions=True)


@dataclass(kw_only=True)
class _Trust:
    """Until when a lease is trusted, by a clock that may be set back."""

    now: Callable[[], Millis]
    length: int
    over_at: Millis
    seen: Millis = field(default=Millis(0))

    def over(self) -> bool:
        now = self.now()
        if now < self.seen:
            # What has passed has passed: a clock that is set back lends no time.
            self.over_at = Millis(self.over_at - (self.seen - now))
        self.seen = now
        return now >= self.over_at

    def renewed(self, asked: Millis) -> None:
        self.over_at = _end(Millis(asked + self.length), self.length)


def _end(until: Millis, length: int) -> Millis:
    return Millis(until - length // MARGIN)


async def _renew_on(fence: Fence, keep: Keep, trust: _Trust) -> None:
    async for _ in keep.ticks:
        asked = keep.now()
        try:
            await keep.renew(fence)
        except StaleEpochError:
            raise
        except Exception:  # noqa: BLE001, S112 - a busy database must not end a run while its lease still lives
            continue
        if trust.over():
            raise StaleEpochError
        trust.renewed(asked)


async def _watch(keep: Keep, trust: _Trust) -> None:
    async for _ in keep.watch:
        if trust.over():
            raise StaleEpochError
