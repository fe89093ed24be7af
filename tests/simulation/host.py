"""One process of the bot: the loops that production turns, on doors that can fail and around a life that can end."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr
from starlette.types import Message

from bot.clock import Millis
from bot.domain.budget import Per, Period
from bot.domain.turn import Turn
from bot.executors.workspace.workspaces import Workspaces
from bot.host.assemble import assemble
from bot.host.config import Config
from bot.host.launching import token_digest
from bot.host.parts import Parts
from bot.host.sections import BudgetSettings, ScopeSettings, Settings
from bot.host.wheels import Wheels
from bot.scheduler.launch import declare
from projectors.pace import GITHUB
from tests.simulation.audit import Audit
from tests.simulation.choices import Choices
from tests.simulation.executor import SimulatedExecutor
from tests.simulation.loop import OWNER, SimulationLoop
from tests.simulation.machine import Machine
from tests.simulation.mortal import KilledError, Life
from tests.simulation.playbooks import POOLS, playbooks
from tests.simulation.store import SharedStoreDoor, StoreDoor
from tests.simulation.times import HostClock
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.door import Network, TrackerDoor
from tests.simulation.tracker.payloads import SECRET, Delivery
from tests.simulation.tracker.state import BOT, places
from tests.simulation.workspaces import SimulatedWorkspaces
from tests.storage.twice import Writable
from webhooks.intake import Intake
from webhooks.receiver import Receiver
from webhooks.secret import Secret

LEASE = 60_000
CEILING = {"usd": 20, "turns": 6}
"""How far people may raise the budget of one issue, by unit."""
LOOPS = ("what comes in", "what is decided", "what goes out")


def config(*, agents: int, jobs: int, together: int, scopes: Mapping[str, int]) -> Config:
    """Return what every host of a simulation is told; ``together`` is what all runs of a day may use, in usd."""
    return Config(
        data=Path("data"),
        repositories=tuple(place.full_name for place in places()),
        settings=Settings(concurrency=agents, job_concurrency=jobs, lease=LEASE, budget_ceiling=CEILING),
        budgets=(BudgetSettings(unit="usd", max=together, per=Per.ALL, period=Period.DAY),),
        scopes={name: ScopeSettings(concurrency=limit) for name, limit in scopes.items()},
        token=SecretStr("a-token-of-the-simulation"),
        secrets=(SecretStr(SECRET.decode()),),
    )


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """
    What all hosts of a simulation share.

    ``shared`` says that they know of each other, each on a machine of its own. With ``rehearses`` every change is run
    twice.
    """

    loop: SimulationLoop
    config: Config
    store: Writable[Any]
    audit: Audit
    desk: TrackerDesk
    network: Network
    machine: Machine
    choices: Choices
    shared: bool
    rehearses: bool


@dataclass(kw_only=True)
class SimulatedHost:
    """A host, stepped loop by loop. A new one is made for each start of the process."""

    around: Surroundings
    clock: HostClock
    life: Life
    _turning: dict[int, asyncio.Task[Any]] = field(default_factory=dict)

    @cached_property
    def store(self) -> StoreDoor:
        """The store, as this process reaches it."""
        around = self.around
        door = SharedStoreDoor if around.shared else StoreDoor
        return door(
            store=around.store, life=self.life, clock=self.clock, audit=around.audit, rehearses=around.rehearses
        )

    @cached_property
    def parts(self) -> Parts:
        """What the host is made of."""
        around, life = self.around, self.life
        parts = Parts(
            config=around.config,
            clock=self.clock,
            api="",
            after=lambda _: None,
            ticks=self._ticks,
            store=self.store,
            tracker=TrackerDoor(desk=around.desk, life=life, network=around.network),
            me=BOT,
            pace=replace(GITHUB, jitter=0.0),
            executors={
                name: SimulatedExecutor(
                    name=name,
                    pool=pool,
                    home=life.name if around.shared else "",
                    machine=around.machine,
                    life=life,
                    choices=around.choices,
                )
                for name, pool in POOLS.items()
            },
            playbooks=playbooks(),
            owner=life.name,
            mark="simulation",
        )
        parts.workspaces = cast("Workspaces", SimulatedWorkspaces(desk=around.desk, life=life))
        return parts

    @cached_property
    def wheels(self) -> Wheels:
        """The loops."""
        return assemble(self.parts)

    @cached_property
    def receiver(self) -> Receiver:
        """The door for webhooks."""
        accept = Intake(self.parts.store, self.parts.clock, self.parts.wake).accept
        return Receiver(secrets=[Secret(SECRET)], accept=accept)

    def free(self) -> list[int]:
        """Return the loops that can be turned: those that do not stand in the middle of a turn."""
        return [place for place in range(len(self.wheels.loops)) if self._done(place)]

    def turn(self, place: int) -> None:
        """Turn one loop."""
        self._turning[place] = self.start(self.wheels.loops[place].tick())

    def begin(self) -> None:
        """Do what a process does first: whoever held these leases under its name is dead."""
        now = self.clock.now()
        self.start(self.store.write(lambda tx: tx.executions.release_owner(self.life.name, now)))

    def shut_down(self) -> None:
        """End in order: the leases are given back, the runs go on."""
        self.start(self._close())

    def declare(self, token: str, turn: Turn) -> None:
        """Take a turn that a run declares."""
        now = self.clock.now()
        self.start(self.store.write(lambda tx: declare(tx, token_digest(token), turn, now)))

    def deliver(self, delivery: Delivery, answers: list[int]) -> None:
        """Take a delivery; the status of the answer is added to ``answers`` if one is given."""
        self.start(self._receive(delivery, answers))

    def start(self, body: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start something in this process."""
        context = contextvars.copy_context()
        context.run(OWNER.set, self.life)
        return context.run(self.around.loop.create_task, _until_death(body))

    async def _receive(self, delivery: Delivery, answers: list[int]) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": delivery.payload, "more_body": False}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start" and self.life.alive:
                answers.append(HTTPStatus(message["status"]))

        await self.receiver({"type": "http", "method": "POST", "headers": delivery.headers()}, receive, send)

    async def _close(self) -> None:
        await self.wheels.close()
        self.life.kill()

    async def _ticks(self, milliseconds: float) -> AsyncIterator[None]:
        while True:
            await self.life.pulse(Millis(self.clock.time.now + round(milliseconds)))
            yield

    def _done(self, place: int) -> bool:
        task = self._turning.get(place)
        return task is None or task.done()


async def _until_death(body: Coroutine[Any, Any, Any]) -> None:
    try:
        await body
    except KilledError:
        return
