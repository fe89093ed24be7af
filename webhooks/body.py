"""Reading a request's body: all of it, but not more than allowed and not for longer than allowed."""

from __future__ import annotations

import asyncio
import enum

from starlette.types import Receive


class Unread(enum.Enum):
    """Why a body could not be had."""

    TOO_LARGE = "too large"
    TOO_SLOW = "too slow"
    DISCONNECTED = "disconnected"


async def read_body(receive: Receive, *, limit: int, seconds: float) -> bytes | Unread:
    """
    Return the whole body, or why there is none.

    ``limit`` is in bytes; what lies beyond it is not read. ``seconds`` bounds the wait for the last byte:
    a sender who trickles would otherwise hold memory for as long as he likes, before he has to sign.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _collect(receive, limit)
    except TimeoutError:
        return Unread.TOO_SLOW


async def _collect(receive: Receive, limit: int) -> bytes | Unread:
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return Unread.DISCONNECTED
        body += message.get("body", b"")
        if len(body) > limit:
            return Unread.TOO_LARGE
        more = message.get("more_body", False)
    return bytes(body)
