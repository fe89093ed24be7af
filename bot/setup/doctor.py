"""All checks of the doctor, in the order in which they are told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import httpx

from bot.clock import Clock
from bot.errors import ConfigError
from bot.host.config import Config, load_config
from bot.playbook.playbook import Playbook
from bot.setup import app, local, remote
from bot.setup.deciders import deciders
from bot.setup.finding import Finding, Severity, error, fine
from bot.setup.key_file import key_file
from bot.trackers.github.credentials import AppIdentity
from bot.trackers.github.inspect import open_inspect
from bot.trackers.github.inspect_app import open_app_inspect


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
        yield error("configuration", str(fault), "mend what it names, or write a new one with trackside init")
        return
    yield fine("configuration", f"{path} can be used")
    for finding in local.effective(config):
        yield finding
    for finding in local.webhook_secrets(config, clock.now()):
        yield finding
    for finding in key_file():
        yield finding
    yield local.git()
    directory = local.data_directory(config.data)
    yield directory
    if directory.severity is not Severity.ERROR:
        yield local.secrets(config)
        for finding in await local.database(config, clock.now()):
            yield finding
    async for finding in _at_the_tracker(config, clock, transport, url):
        yield finding


async def _at_the_tracker(
    config: Config, clock: Clock, transport: httpx.AsyncBaseTransport | None, url: str
) -> AsyncIterator[Finding]:
    found, playbooks = local.playbooks(config)
    yield found
    findings = _of_an_app if config.tracker.app_id else _of_a_token
    async for finding in findings(config, clock, transport, url, playbooks):
        yield finding


async def _of_a_token(
    config: Config,
    clock: Clock,
    transport: httpx.AsyncBaseTransport | None,
    url: str,
    playbooks: Sequence[Playbook],
) -> AsyncIterator[Finding]:
    token = config.token.get_secret_value()
    async with open_inspect(token, base_url=config.tracker.url, transport=transport) as inspector:
        found = [finding async for finding in remote.credentials(inspector, clock)]
        for finding in found:
            yield finding
        if remote.refused(found):
            return
        for name in config.repositories:
            async for finding in remote.repository(inspector, name, playbooks, url):
                yield finding
        async for finding in deciders(inspector, playbooks):
            yield finding


async def _of_an_app(
    config: Config,
    clock: Clock,
    transport: httpx.AsyncBaseTransport | None,
    url: str,
    playbooks: Sequence[Playbook],
) -> AsyncIterator[Finding]:
    who = AppIdentity(id=config.tracker.app_id, key=config.app_key.get_secret_value())
    async with open_app_inspect(who, base_url=config.tracker.url, transport=transport, clock=clock) as inspector:
        found = [finding async for finding in remote.credentials(inspector, clock, by_app=True)]
        for finding in found:
            yield finding
        if remote.refused(found):
            return
        async for finding in app.registered(inspector, config, url):
            yield finding
        for name in config.repositories:
            async for finding in app.repository(inspector, name, playbooks):
                yield finding
        async for finding in deciders(inspector, playbooks):
            yield finding
