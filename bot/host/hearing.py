"""Wakes the loops when another host has committed something. It only hastens what they would find by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import structlog

from bot.clock import MINUTE, SECOND
from bot.domain.retry import backoff
from bot.errors import StorageError
from bot.storage.contract import Shared

_log = structlog.get_logger(__name__)


async def hear(
    shared: Shared, wake: Callable[[], None], pause: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> None:
    """Listen until cancelled. ``pause`` waits so many seconds before it listens again after a fault."""
    tries = 0
    while True:
        try:
            async with aclosing(shared.changes()) as changes:
                async for _ in changes:
                    tries = 0
                    wake()
        except StorageError as error:
            tries += 1
            wait = backoff(tries, base=SECOND, most=MINUTE)
            _log.warning("not_listening", wait_ms=wait, reason=str(error))
            await pause(wait / 1000)
