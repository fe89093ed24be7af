"""The composition root: the only place that names concrete adapters and puts them together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

import httpx
from fastapi import FastAPI

from bot.clock import HOUR, Clock, Millis
from bot.domain.turn import Turn
from bot.errors import ConfigError, TrackerError
from bot.executors.toolbelt.routes import Record
from bot.executors.toolbelt.routes import router as toolbelt_routes
from bot.host.assemble import assemble
from bot.host.config import Config
from bot.host.http import http_app
from bot.host.identity import APP_KEY
from bot.host.instance import instance
from bot.host.instance_mark import instance_mark
from bot.host.launching import token_digest
from bot.host.parts import Parts
from bot.host.reload import reload, usable
from bot.host.sections import TOKEN
from bot.host.skew import Skew
from bot.host.store import open_store
from bot.host.ticks import every
from bot.host.wheels import Wheels
from bot.scheduler.launch import declare
from bot.storage.contract import Shared, Store
from bot.storage.runner import Runner, ThreadRunner
from bot.trackers.contract import Person, Tracker
from bot.trackers.github.credentials import identity
from bot.trackers.github.tracker import open_tracker
from projectors.pace import PACES
from webhooks.intake import Intake
from webhooks.receiver import Receiver


@dataclass(frozen=True, kw_only=True)
class Host:
    """
    A host that was put together: ``app`` takes requests, ``wheels`` do the rest.

    ``reload`` puts a changed configuration in force. It raises ``ConfigError`` for one that cannot be used, and changes
    nothing then.
    """

    store: Store
    app: FastAPI
    wheels: Wheels
    reload: Callable[[Config], None]


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    What differs between production and a test: the clock, how storage runs, and who looks on.

    ``api`` is the address at which runs reach the toolbelt, empty when none is served. ``transport`` takes the
    place of the network to the tracker. ``after`` is told each pass that was run. ``ticks`` yields each time that
    leases are to be renewed, every so many milliseconds.
    """

    clock: Clock
    api: str = ""
    runner: Runner | None = None
    transport: httpx.AsyncBaseTransport | None = None
    after: Callable[[str], None] = lambda _: None
    ticks: Callable[[float], AsyncIterator[None]] = every


@asynccontextmanager
async def open_host(config: Config, around: Surroundings) -> AsyncIterator[Host]:
    """
    Put a host together and take it apart again in order.

    Raises ``ConfigError`` when something that it is told cannot be used, before anything is started, and
    ``TrackerError`` when the tracker does not say who we are.
    """
    runners, playbooks = usable(config)
    who = identity(
        token=config.token.get_secret_value(),
        app_id=config.tracker.app_id,
        key=config.app_key.get_secret_value(),
    )
    async with open_tracker(
        who, base_url=config.tracker.url, transport=around.transport, clock=around.clock
    ) as tracker:
        with instance(config.data) as owner:
            store = await open_store(config, around.runner or ThreadRunner())
            try:
                now = around.clock.now()
                # Whoever held these leases under our name is dead: we have its lock.
                await store.write(lambda tx: tx.executions.release_owner(owner, now))
                parts = Parts(
                    config=config,
                    clock=around.clock,
                    api=around.api,
                    after=around.after,
                    ticks=around.ticks,
                    store=store,
                    tracker=tracker,
                    me=await _me(tracker, config),
                    executors=runners,
                    playbooks=playbooks,
                    owner=owner,
                    mark=await instance_mark(store, owner),
                    pace=PACES[config.tracker.pace],
                )
                await parts.executors_of.restore()
                await store.write(lambda tx: tx.generations.prune(Millis(now - HOUR)))
                host = _host(parts)
                try:
                    yield host
                finally:
                    await host.wheels.close()
            finally:
                await store.close()


async def _me(tracker: Tracker, config: Config) -> Person:
    try:
        return await tracker.me()
    except TrackerError as error:
        message = f"{config.tracker.url}: {error}"
        if error.status == httpx.codes.UNAUTHORIZED:
            if config.tracker.app_id:
                cure = f"tracker.app_id and {APP_KEY} must be of one App there, and the key one that it still has"
                raise ConfigError(f"{message}; {cure}") from error
            raise ConfigError(f"{message}; {TOKEN} must hold a token that is valid there") from error
        raise TrackerError(message, status=error.status) from error


def _host(parts: Parts) -> Host:
    intake = Intake(parts.store, parts.clock, parts.wake)
    receiver = Receiver(
        secrets=parts.config.signing, accept=intake.accept, clock=parts.clock, closed=parts.config.polls
    )
    skew = Skew(store=parts.store, clock=parts.clock, most=parts.lease.length // 6)
    wheels = assemble(parts)
    app = http_app(
        parts.store,
        receiver,
        toolbelt_routes(_recorder(parts.store, parts.clock)),
        lambda: wheels.health(parts.clock.now()),
        skew if isinstance(parts.store, Shared) else None,
    )
    return Host(store=parts.store, app=app, wheels=wheels, reload=partial(reload, parts))


def _recorder(store: Store, clock: Clock) -> Record:
    async def record(token: str, turn: Turn) -> bool:
        now = clock.now()
        return await store.write(lambda tx: declare(tx, token_digest(token), turn, now))

    return record
