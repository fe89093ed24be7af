"""The passes of a host, made from the parts that they share."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bot.approvals.gate import ApprovalGate
from bot.clock import Clock
from bot.executors.contract import Executor
from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspaces
from bot.host.attempts import Attempts
from bot.host.bindings import Bindings
from bot.host.config import Config
from bot.host.loop import Loop, Pass
from bot.host.orders import Orders
from bot.host.places import Places, ScopePermission, Wanted
from bot.host.publishing import Publisher
from bot.host.recovery import RecoverPass, StopPass, TimersPass
from bot.host.start import Lease, StartPass
from bot.host.sweeping import SweepPass
from bot.host.wheels import Wheels
from bot.playbook.playbook import Playbook
from bot.storage.contract import Store
from bot.trackers.contract import Person, Tracker
from bot.views.query import Threads
from bot.views.standing import Explain
from projectors.limiter import Limiter
from projectors.notes import NotesPass
from projectors.parked import UnparkPass
from projectors.post import Post
from projectors.project import ProjectPass
from projectors.redact import Redactor
from projectors.safe import Safe
from projectors.settings import Command
from projectors.settings import Settings as Texts
from projectors.triggers import TriggerLabels
from webhooks.authority import Authority
from webhooks.desk import Desk
from webhooks.router import Router
from webhooks.sweep import Sweep
from webhooks.verbs import VERBS


@dataclass(kw_only=True)
class Parts:
    """What the host was given, and the small things that are made of it once."""

    config: Config
    clock: Clock
    api: str
    after: Callable[[str], None]
    ticks: Callable[[float], AsyncIterator[None]]
    store: Store
    tracker: Tracker
    me: Person
    executors: Mapping[str, Executor]
    playbooks: Mapping[str, Playbook]
    owner: str
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    loops: list[Loop] = field(default_factory=list)

    def wake(self) -> None:
        """Tell all loops that something happened."""
        self.woken.set()
        for loop in self.loops:
            loop.wake()

    @cached_property
    def lease(self) -> Lease:
        """Who claims, and for how long."""
        return Lease(owner=self.owner, length=self.config.settings.lease)

    @cached_property
    def places(self) -> Places:
        """Names of repositories."""
        return Places(self.store)

    @cached_property
    def authority(self) -> Authority:
        """People's permissions."""
        return Authority(self.tracker, self.clock)

    @cached_property
    def wanted(self) -> Wanted:
        """Whether items still ask for their Work."""
        return Wanted(self.places, self.tracker)

    @cached_property
    def limiter(self) -> Limiter:
        """The one gate for writes to the tracker."""
        return Limiter(clock=self.clock)

    @cached_property
    def workspaces(self) -> Workspaces:
        """Where runs work. The token goes to git only for a repository that is reached over HTTP."""
        token = self.config.token.get_secret_value()
        return Workspaces(root=self.config.data.absolute() / "workspaces", git=Git(token=token))

    @cached_property
    def bindings(self) -> Bindings:
        """What Work runs on."""
        digests = "".join(sorted(playbook.digest for playbook in self.playbooks.values()))
        return Bindings(
            playbooks=self.playbooks,
            executors=self.executors,
            timeout=self.config.settings.timeout,
            generation=hashlib.sha256(digests.encode()).hexdigest()[:16],
            limits=self.config.limits,
        )

    @cached_property
    def explain(self) -> Explain:
        """Why Work is or is not running."""
        return Explain(known=self.bindings.playbooks.__contains__, terms=self.bindings.terms)

    @cached_property
    def texts(self) -> Texts:
        """How texts are written here: the commands that exist, and the secrets that never show."""
        own = [self.config.token, *self.config.secrets]
        redactor = Redactor(secrets=frozenset(secret.get_secret_value() for secret in own))
        commands = tuple(Command(form=each.form, description=each.description) for each in VERBS.values())
        return Texts(safe=Safe(redactor=redactor), commands=commands)

    @cached_property
    def desk(self) -> Desk:
        """What handlers of events work with."""
        return Desk(
            store=self.store,
            tracker=self.tracker,
            authority=self.authority,
            playbooks=self.playbooks,
            me=self.me,
            explain=self.explain,
        )


def assemble(parts: Parts) -> Wheels:
    """Return the loops of a host, ready to turn."""
    attempts = _attempts(parts)
    stop = StopPass(
        store=parts.store,
        clock=parts.clock,
        executors=parts.executors,
        attempts=attempts,
        wake=parts.wake,
    )
    parts.loops += [
        _loop(parts, [_sweep(parts)]),
        _loop(parts, [*_core(parts, attempts), Pass(name="stop", run=stop.run)]),
        _loop(parts, _outward(parts)),
    ]
    return Wheels(loops=parts.loops, closing=[attempts.close, stop.close], woken=parts.woken)


def _loop(parts: Parts, passes: list[Pass]) -> Loop:
    return Loop(passes=passes, clock=parts.clock, after=parts.after)


def _sweep(parts: Parts) -> Pass:
    sweep = SweepPass(
        sweep=Sweep(parts.store, parts.tracker, parts.desk, parts.clock),
        clock=parts.clock,
        repositories=parts.config.repositories,
        interval=parts.config.settings.sweep,
        wake=parts.wake,
    )
    return Pass(name="sweep", run=sweep.run)


def _core(parts: Parts, attempts: Attempts) -> list[Pass]:
    store, clock = parts.store, parts.clock
    start = StartPass(
        store=store,
        clock=clock,
        bindings=parts.bindings,
        gates=(ApprovalGate(ScopePermission(parts.places, parts.authority)),),
        wanted=parts.wanted,
        places=parts.places,
        lease=parts.lease,
        launch=attempts.claimed,
        wake=parts.wake,
    )
    recover = RecoverPass(store=store, clock=clock, lease=parts.lease, attempts=attempts)
    return [
        Pass(name="route", run=Router(store, parts.desk, clock, parts.wake).run),
        Pass(name="timers", run=TimersPass(store=store, clock=clock, lease=parts.lease, attempts=attempts).run),
        Pass(name="recover", run=recover.run),
        Pass(name="start", run=start.run),
    ]


def _outward(parts: Parts) -> list[Pass]:
    post = Post(parts.store, parts.tracker, parts.limiter, parts.me)
    notes = NotesPass(
        store=parts.store,
        tracker=parts.tracker,
        clock=parts.clock,
        limiter=parts.limiter,
        post=post,
        settings=parts.texts,
    )
    project = ProjectPass(
        store=parts.store,
        tracker=parts.tracker,
        clock=parts.clock,
        limiter=parts.limiter,
        post=post,
        threads=Threads(playbooks=parts.playbooks, explain=parts.explain),
        settings=parts.texts,
    )
    triggers = TriggerLabels(
        tracker=parts.tracker,
        clock=parts.clock,
        limiter=parts.limiter,
        repositories=parts.config.repositories,
        triggers={
            playbook.on.label: playbook.name
            for playbook in parts.playbooks.values()
            if playbook.on is not None and playbook.on.label is not None
        },
    )
    return [
        Pass(name="labels", run=triggers.run),
        Pass(name="notes", run=notes.run),
        Pass(name="unpark", run=UnparkPass(store=parts.store, clock=parts.clock).run),
        Pass(name="project", run=project.run),
    ]


def _attempts(parts: Parts) -> Attempts:
    orders = Orders(
        store=parts.store,
        tracker=parts.tracker,
        workspaces=parts.workspaces,
        places=parts.places,
        authority=parts.authority,
        api=parts.api,
    )
    publisher = Publisher(
        store=parts.store,
        clock=parts.clock,
        tracker=parts.tracker,
        workspaces=parts.workspaces,
        places=parts.places,
        wanted=parts.wanted,
        limiter=parts.limiter,
        safe=parts.texts.safe,
    )
    return Attempts(
        store=parts.store,
        clock=parts.clock,
        executors=parts.executors,
        orders=orders,
        publisher=publisher,
        lease_length=parts.lease.length,
        ticks=lambda: parts.ticks(parts.lease.length / 3),
        wake=parts.wake,
    )
