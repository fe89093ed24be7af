"""All checks of the doctor, in the order in which they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from bot.clock import Clock
from bot.errors import ConfigError
from bot.host.config import Config, load_config
from bot.setup import local, remote
from bot.setup.finding import Finding, Severity, error, fine
from bot.trackers.github.inspect import open_inspect


async def examine(
    path: Path, clock: Clock, transport: httpx.AsyncBaseTransport | None = None, *, url: str = ""
) -> AsyncIterator[Finding]:
    """
    Yield every finding; nothing is changed, and what is not found out stops only what depends on it.

    ``url`` is the public address of the bot, empty when nobody said it. ``transport``
    takes the place of the network in tests.
    """
    try:
        config = load_config(path)
    except ConfigError as fault:
        yield error("configuration", str(fault), "mend what it names, or write a new one with trackside init --token")
        return
    yield fine("configuration", f"{path} can be used")
    for finding in local.effective(config):
        yield finding
    yield local.git()
    directory = local.data_directory(config.data)
    yield directory
    if directory.severity is not Severity.ERROR:
        yield local.secrets(config)
        for finding in await local.database(config):
            yield finding
    async for finding in _at_the_tracker(config, clock, transport, url):
        yield finding


async def _at_the_tracker(
    config: Config, clock: Clock, transport: httpx.AsyncBaseTransport | None, url: str
) -> AsyncIterator[Finding]:
    found, playbooks = local.playbooks(config)
    yield found
    token = config.token.get_secret_value()
    async with open_inspect(token, base_url=config.tracker.url, transport=transport) as inspector:
        valid = True
        async for finding in remote.credentials(inspector, clock):
            valid = valid and not (finding.check == "credentials" and finding.severity is Severity.ERROR)
            yield finding
        if not valid:
            return
        for name in config.repositories:
            async for finding in remote.repository(inspector, name, playbooks, url):
                yield finding
