"""The ticks on which leases are renewed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator


async def every(milliseconds: float) -> AsyncIterator[None]:
    """Yield again and again, after each pause."""
    while True:
        await asyncio.sleep(milliseconds / 1000)
        yield
