"""
One simulated world: a store, a tracker with its people, a machine, and one or two hosts.

``World.open`` puts it together from a seed, ``step`` lets one thing happen, and ``rest`` lets everything come to an
end. After each, ``violation`` is the first invariant that does not hold.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from bot.domain.scope import owner_scope, repository_scope
from bot.ids import ScopeId
from bot.storage.contract import Tx
from bot.storage.runner import InlineRunner
from bot.storage.sqlite.connect import SqliteSettings
from bot.storage.sqlite.store import SqliteStore
from tests.simulation import log
from tests.simulation.audit import Audit, Check
from tests.simulation.choices import Choices, Script
from tests.simulation.facts import Facts
from tests.simulation.history import History
from tests.simulation.host import SimulatedHost, Surroundings, config
from tests.simulation.invariants import ALL, runs
from tests.simulation.loop import OWNER, SimulationLoop
from tests.simulation.machine import Machine
from tests.simulation.mortal import Life
from tests.simulation.people import Crowd
from tests.simulation.playbooks import playbooks
from tests.simulation.reached import note
from tests.simulation.substitutes import LogLine, substituted
from tests.simulation.times import HostClock, TrueTime
from tests.simulation.tracker.desk import TrackerDesk
from tests.simulation.tracker.door import Network
from tests.simulation.tracker.state import PEOPLE, places
from tests.simulation.watched import Watched, statements
from tests.simulation.workspaces import push_branch
from tests.storage.backend import MIGRATIONS

NAMES = ("host-a", "host-b")
SCOPES: tuple[Mapping[str, int], ...] = ({}, {"acme/repo-11": 1}, {"acme": 2}, {"acme": 2, "acme/repo-12": 1})


class Hosting(enum.Enum):
    """Who serves the store."""

    ALONE = "one host"
    SHARED = "two hosts that know of each other"
    DOUBLED = "two hosts that do not, as when one was taken for dead"


HOSTING = ((4, Hosting.ALONE), (2, Hosting.SHARED), (3, Hosting.DOUBLED))
MEMORY = Path("/dev/shm")  # noqa: S108 - a database that is thrown away is quickest in memory


@dataclass(kw_only=True)
class World:
    """
    Everything there is. ``hosts`` are the processes by name; a dead one is replaced by another of its name.

    ``offsets`` are how far their clocks are ahead. ``acknowledged`` are the deliveries that were answered with a yes.
    In a ``rough`` world more goes wrong.
    """

    around: Surroundings
    time: TrueTime
    history: History
    crowd: Crowd
    choices: Choices
    rough: bool
    hosts: dict[str, SimulatedHost] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)
    steps: int = 0

    @property
    def violation(self) -> str | None:
        """The first thing that went wrong."""
        unhandled = [f"nothing_is_left_unhandled: {each}" for each in self.around.loop.faults]
        found = [*self.around.audit.violations, *unhandled]
        return found[0] if found else None

    @property
    def twins(self) -> bool:
        """Whether two hosts share the store."""
        return len(self.offsets) > 1

    def living(self) -> list[SimulatedHost]:
        """Return the hosts that are alive and awake."""
        return [host for host in self.hosts.values() if host.life.alive and host.life.awake]

    def start_host(self, name: str) -> SimulatedHost:
        """Start a process."""
        life = Life(name=name, tell=lambda reached, action: self._told(name, reached, action))
        clock = HostClock(time=self.time, offset=self.offsets[name])
        host = SimulatedHost(around=self.around, clock=clock, life=life)
        self.hosts[name] = host
        host.begin()
        self.drain()
        return host

    def begin(self, name: str) -> None:
        """Start a process for the first time: it looks around once before anything happens."""
        host = self.start_host(name)
        for place in host.free():
            host.turn(place)
            self.drain()

    def drain(self) -> None:
        """Let everything run that can, and look at the machine."""
        self.around.loop.drain()
        self.around.audit.look_again()

    def pass_time(self, milliseconds: int) -> None:
        """Let time pass; hosts that are awake renew their leases meanwhile."""
        end = self.time.now + milliseconds
        while True:
            due = [pulse for host in self.living() if (pulse := host.life.next_pulse()) is not None and pulse <= end]
            if not due:
                break
            self.time.now = max(self.time.now, min(due))
            for host in self.living():
                host.life.beat(self.time.now)
            self.drain()
        self.time.now = type(self.time.now)(end)

    def touch_what_people_changed(self) -> None:
        """
        Make the threads due that were refused, or in which people changed what the bot had written.

        Nothing is stored of such a change, so that it is put right only when something else changes in the thread.
        """
        keys = [f"item:{place}/{number}" for place, number in self.around.desk.meddled]

        def change(tx: Tx) -> None:
            tx.threads.unpark()
            for key in keys:
                if tx.threads.get(key) is not None:
                    tx.threads.touch(key)

        self.around.loop.run_until(self.around.store.write(change))

    def _told(self, name: str, reached: str, action: str) -> None:
        self.history.reach(reached)
        self.history.tell(name, action)


@contextmanager
def open_world(seed: int, script: Script | None = None, checks: tuple[Check, ...] = ALL) -> Iterator[World]:
    """Make a world, and take it apart again."""
    directory = str(MEMORY) if MEMORY.is_dir() else None
    with TemporaryDirectory(prefix="simulation-", dir=directory) as place:
        loop = SimulationLoop()
        choices = Choices(seed, script)
        choices.next_step()
        time = TrueTime()
        history = History(time=time)
        desk, machine = TrackerDesk(time=time), Machine(time=time)
        given = config(
            agents=choices.of((2, 1, 3)),
            jobs=choices.of((1, 2)),
            together=(together := choices.of((20, 9))),
            scopes=choices.of(SCOPES),
        )
        hosting = choices.weighted(HOSTING)
        history.tell("world", f"has {hosting.value}, {given.limits.pools}, {dict(given.scope_limits)}")
        facts = Facts(
            limits=replace(given.limits, scopes=_identified(given.scope_limits)),
            together=together,
            machine=machine,
            gated={name: bool(playbook.gates) for name, playbook in playbooks().items()},
            may_decide=frozenset(each.person.login for each in PEOPLE if each.permission >= each.permission.WRITE),
        )
        audit = Audit(facts=facts, checks=checks, always=runs.ALL, seen=lambda step: note(step, history))
        randomness = Random(seed)  # noqa: S311 - identities of a simulation

        def told(line: LogLine) -> None:
            owner = OWNER.get(None)
            log.told(line, owner.name if isinstance(owner, Life) else "", history, audit.violations)

        with substituted(randomness=randomness.randbytes, push=push_branch, told=told):
            store = open_store(loop, Path(place))
            around = Surroundings(
                loop=loop,
                config=given,
                store=store,
                audit=audit,
                desk=desk,
                network=Network(),
                machine=machine,
                choices=choices,
                shared=hosting is Hosting.SHARED,
                rehearses=choices.one_in(4),
            )
            world = World(
                around=around,
                time=time,
                history=history,
                crowd=Crowd(desk=desk, choices=choices, facts=facts),
                choices=choices,
                rough=choices.one_in(2),
                offsets=dict.fromkeys(NAMES[:1] if hosting is Hosting.ALONE else NAMES, 0),
            )
            for name in world.offsets:
                world.begin(name)
            for number in range(choices.of((2, 1, 3))):
                world.crowd.begins(number)
            try:
                yield world
            finally:
                for host in world.hosts.values():
                    host.life.kill()
                loop.drain()
                loop.run_until(store.close())
                loop.close()


def _identified(limits: Mapping[str, int]) -> tuple[tuple[ScopeId, int], ...]:
    """Return limits of owners and repositories by the ids of these."""
    found = places()
    owners = {place.owner: owner_scope(place.owner_id) for place in found}
    names = owners | {place.full_name: repository_scope(place.id) for place in found}
    return tuple((names[name], limit) for name, limit in limits.items())


def open_store(loop: SimulationLoop, directory: Path) -> SqliteStore[Tx]:
    """Open an empty store without threads."""
    opened: SqliteStore[Tx] = loop.run_until(_open(directory))
    return opened


async def _open(directory: Path) -> Any:
    return await SqliteStore.open(
        SqliteSettings(path=directory / "trackside.db", readers=1, durable=False),
        bind=lambda sql: Tx(Watched(sql)),
        statements=statements(),
        migrations=MIGRATIONS,
        runner=InlineRunner(),
    )
