"""Opening a client by an identity: the only place that knows both kinds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx

from bot.clock import Clock, SystemClock, monotonic
from bot.trackers.github.app import AppCredentials
from bot.trackers.github.app_key import app_key
from bot.trackers.github.client import Client
from bot.trackers.github.credentials import BotCredentials, Identity, PersonalToken
from bot.trackers.github.tracker_time import TrackerTime
from bot.trackers.github.wire import open_wire

TIMEOUT = 10.0
"""Seconds that each part of a request may take."""


@asynccontextmanager
async def open_client(
    identity: Identity,
    *,
    base_url: str,
    seconds: float = TIMEOUT,
    transport: httpx.AsyncBaseTransport | None = None,
    clock: Clock | None = None,
    age: Callable[[], int] = monotonic,
) -> AsyncIterator[tuple[Client, BotCredentials]]:
    """
    Yield a client, and the credentials that it uses, whose connections stay open until the end.

    Each part of a request may take ``seconds``; ``transport`` takes the place of the network in tests, ``clock`` and
    ``age`` that of the machine's clocks: ``age`` returns milliseconds on one that nobody sets. Raises ``ConfigError``
    for an App's key that is none.
    """
    clock = clock or SystemClock()
    time = TrackerTime(clock)
    async with open_wire(base_url=base_url, seconds=seconds, transport=transport, time=time) as wire:
        credentials: BotCredentials
        if isinstance(identity, str):
            credentials = PersonalToken(identity)
        else:
            key = app_key(identity, time)
            credentials = AppCredentials(Client(wire, key), key, clock, age)
        yield Client(wire, credentials), credentials
