"""
Two bots, each with a tracker of its own in which the same happens: one hears of everything at once, the other does not.

What runs is an agent that always ends in the same word, so that the number of attempts, which may differ, decides
nothing. Everything else is the bot's own: intake, routing, gates, the scheduler, and what is written into the threads.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr

from bot.clock import HOUR, Millis
from bot.domain.kind import Capability
from bot.domain.result import Order, Result
from bot.domain.work import Work
from bot.errors import NotAdoptableError
from bot.executors.contract import ExecutionContext, StopEvidence
from bot.executors.workspace.workspaces import Workspaces
from bot.host.assemble import assemble
from bot.host.config import Config
from bot.host.parts import Parts
from bot.host.sections import BrakeSettings, Settings
from bot.host.wheels import Wheels
from bot.ids import ExecutionId, WorkId
from bot.playbook.load import load
from bot.playbook.playbook import Playbook
from bot.storage.contract import Tx
from bot.storage.sqlite.store import SqliteStore
from bot.views.markers import marked_as
from projectors.pace import PACES
from tests.simulation.mortal import Life
from tests.simulation.times import HostClock, TrueTime
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.door import Network, TrackerDoor
from tests.simulation.tracker.payloads import SECRET, Delivery
from tests.simulation.tracker.state import BOT, PEOPLE, Item, Place, Pull
from tests.simulation.workspaces import SimulatedWorkspaces
from tests.webhooks.bench import open_sqlite, received
from webhooks.intake import Intake

ADA, MAX, RITA, ZED, OTHER_BOT = (each.person for each in PEOPLE)
SWEEP = 4 * HOUR
"""Longer than anything that is lost here stays lost, so that only the end brings it back."""
QUIET = 3
MOST = 200
"""Turns after which something must be wrong."""

_GATED = """\
---
name: work-issue
on: {label: "run:work-issue"}
kind: work-issue
running: building
default: review
binding: {executor: agent, timeout: 10m}
statuses:
  building: {label: "state:building"}
  review: {label: "state:review", publish: pull-request, wait: [review, comment]}
gates:
  - {name: start, need: 1, permission: write, not: [starter]}
---
{{ item.title }}
"""
_OPEN = """\
---
name: fix
on: {label: "run:fix"}
kind: work-issue
running: fixing
default: asking
binding: {executor: agent, timeout: 4m}
statuses:
  fixing: {label: "fix:running"}
  asking: {label: "fix:asking", wait: [comment]}
gates: []
---
{{ item.title }}
"""


@cache
def books() -> Mapping[str, Playbook]:
    """Return the playbooks by name."""
    loaded = [load(text, f"{number}.md") for number, text in enumerate((_GATED, _OPEN))]
    return {playbook.name: playbook for playbook in loaded}


class Ended:
    """A run that has ended well."""

    async def wait(self) -> Result:
        return Result(ok=True)


class Calm:
    """An executor whose runs end at once."""

    name = "agent"
    pool = "agents"
    capabilities: frozenset[Capability] = frozenset()

    def check(self, config: Mapping[str, object]) -> None:
        del config

    async def run(self, order: Order, context: ExecutionContext) -> Ended:
        await context.persist({"key": order.key})
        await context.release()
        return Ended()

    async def recover(self, order: Order, metadata: Mapping[str, object]) -> Ended:
        raise NotAdoptableError(f"{order.key} is over, and {metadata} is of no use", code="lost")

    async def stop(self, execution: ExecutionId, epoch: int) -> StopEvidence:
        del execution, epoch
        return StopEvidence.STOPPED


@dataclass(kw_only=True)
class Twin:
    """
    A bot and its tracker.

    ``threads`` are what people have opened, in that order, and ``under_way`` the deliveries that will arrive later.
    """

    desk: TrackerDesk
    store: SqliteStore[Tx]
    intake: Intake
    wheels: Wheels
    threads: list[Item] = field(default_factory=list)
    under_way: list[Delivery] = field(default_factory=list)

    @property
    def place(self) -> Place:
        return self.desk.places[0]

    @property
    def change(self) -> Pull:
        """The pull request of the first thread, which is there from the beginning."""
        found = self.pull_of(0)
        assert found is not None
        return found

    def later(self, milliseconds: int) -> None:
        """Let time pass."""
        self.desk.time.now = Millis(self.desk.time.now + milliseconds)

    def pull_of(self, thread: int) -> Pull | None:
        """Return the pull request of a thread's Work."""
        number = self.threads[thread].number
        found = [pull for pull in self.place.pulls.values() if f"Closes #{number}" in pull.item.body]
        return found[-1] if found else None

    def sent(self) -> list[Delivery]:
        """Return what the tracker has sent since the last time."""
        sent = list(self.desk.outbox)
        self.desk.outbox.clear()
        return sent

    async def hear(self, deliveries: Sequence[Delivery]) -> None:
        """Have deliveries arrive."""
        for each in deliveries:
            await self.intake.accept(received(each))

    async def settle(self, *, heard: bool = True) -> None:
        """Turn the wheels until nothing happens any more; ``heard`` is whether the tracker's deliveries arrive."""
        quiet = 0
        for _ in range(MOST):
            if quiet == QUIET:
                return
            before = self.desk.writes
            await self.wheels.tick()
            for _ in range(20):
                await asyncio.sleep(0)
            sent = self.sent() if heard else []
            await self.hear(sent)
            quiet = 0 if sent or self.desk.writes != before or self.wheels.woken.is_set() else quiet + 1
        raise AssertionError("something happens again and again")

    async def state(self) -> dict[str, Any]:
        """Return where everything stands."""
        items = [*self.threads, *filter(None, (_item(self.pull_of(place)) for place in range(len(self.threads))))]
        return {f"{place}: {item.title}": await self._thread(item) for place, item in enumerate(items)}

    async def _thread(self, item: Item) -> dict[str, Any]:
        key = f"item:{self.place.id}/{item.number}"

        def read(tx: Tx) -> dict[str, Any]:
            works = tx.works.of_item(key)
            live = [work for work in works if not work.state.final]
            return {
                "works": sorted(_where(tx, work) for work in works),
                "holds": sorted(
                    (hold.kind.value, hold.holder, hold.reason) for work in live for hold in tx.holds.open(work.id)
                ),
                "input": sorted(_input(tx, work.id) for work in live),
            }

        marks = [mark for comment in item.comments if comment.author == BOT and (mark := marked_as(comment.body))]
        return {
            **await self.store.read(read),
            "labels": sorted(item.labels),
            "open": item.open,
            "stickies": sum(mark.startswith("sticky") for mark in marks),
        }


def _item(pull: Pull | None) -> Item | None:
    return None if pull is None else pull.item


def _where(tx: Tx, work: Work) -> tuple[str, int, str, str]:
    """Return where a Work stands, as far as that is for people: of one that is held, not what it would do else."""
    held = bool(tx.holds.open(work.id))
    state = "held" if held else work.state.value
    return work.playbook, work.run, state, "" if work.state.final else work.status or ""


def _input(tx: Tx, work: WorkId) -> list[tuple[str, str, str]]:
    found = [*tx.inputs.pending(work)]
    for execution in tx.executions.of_work(work):
        found += tx.inputs.of_execution(work, execution.id)
    return sorted({(each.kind, each.author, each.body.replace("\n", " ")) for each in found})


@asynccontextmanager
async def open_twin(directory: Path, *, polls: bool = False) -> AsyncIterator[Twin]:
    """
    Open a bot beside a tracker in which nothing has happened yet; ``directory`` must be there.

    One that ``polls`` has no secret, so that it takes no deliveries.
    """
    time = TrueTime()
    desk, clock = TrackerDesk(time=time), HostClock(time=time)
    life = Life(name="bot", tell=lambda *_: None)
    door = TrackerDoor(desk=desk, life=life, network=Network())
    async with open_sqlite(directory) as store:
        parts = Parts(
            config=_config(directory, desk, polls=polls),
            clock=clock,
            api="",
            after=lambda _: None,
            ticks=_never,
            store=store,
            tracker=door,
            me=BOT,
            executors={Calm.name: Calm()},
            playbooks=books(),
            owner="bot",
            mark="bot",
            pace=PACES["none"],
        )
        parts.workspaces = cast("Workspaces", SimulatedWorkspaces(desk=desk, life=life))
        wheels = assemble(parts)
        try:
            yield Twin(desk=desk, store=store, intake=Intake(store, clock, parts.wake), wheels=wheels)
        finally:
            await wheels.close()


def _config(directory: Path, desk: TrackerDesk, *, polls: bool) -> Config:
    return Config(
        data=directory,
        repositories=(desk.places[0].full_name,),
        brakes=BrakeSettings(starts=1000),
        settings=Settings(sweep=SWEEP, sweep_calls=10_000),
        token=SecretStr(BOT.login),
        secrets=() if polls else (SecretStr(SECRET.decode()),),
    )


async def _never(milliseconds: float) -> AsyncIterator[None]:
    del milliseconds
    await asyncio.Event().wait()
    yield
