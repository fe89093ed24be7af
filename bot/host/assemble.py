"""The passes of a host, made from the parts that they share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from bot.approvals.gate import ApprovalGate
from bot.clock import Clock, Millis
from bot.domain.admission import Terms
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspaces
from bot.host.accounts import AccountsPass
from bot.host.attempts import Attempts
from bot.host.bindings import Bindings
from bot.host.config import Config
from bot.host.dispatching import DispatchPass
from bot.host.drain import Drain
from bot.host.duty import Duty
from bot.host.environment import CommitIdentity, PassedOn
from bot.host.executors import ExecutorsOf, rebuilt
from bot.host.hearing import hear
from bot.host.home import Home
from bot.host.in_force import InForce, PlaybooksInForce, bound
from bot.host.launching import Launching
from bot.host.loop import MUCH, PATIENCE, Loop, Pass
from bot.host.orders import Orders
from bot.host.places import Places, ScopePermission, Wanted
from bot.host.publishing import Publisher
from bot.host.recovery import RecoverPass, StopPass, TimersPass
from bot.host.scope_limits import ScopeLimits
from bot.host.settling import SettlePass
from bot.host.start import Lease, StartPass
from bot.host.sweeping import SweepPass
from bot.host.wheels import Wheels
from bot.playbook.playbook import Playbook
from bot.storage.contract import Shared, Store, Tx
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
    drain: Drain = field(default_factory=Drain)
    loops: list[Loop] = field(default_factory=list)
    in_force: InForce = field(init=False)

    def __post_init__(self) -> None:
        self.in_force = InForce(bindings=bound(self.config, self.executors, self.playbooks))
        # Whoever was handed them sees those that are in force when they look.
        self.playbooks = PlaybooksInForce(self.in_force)

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
    def home(self) -> Home:
        """Which attempts are to be taken up here."""
        return Home(owner=self.owner, shared=isinstance(self.store, Shared))

    @cached_property
    def duty(self) -> Duty:
        """What only one of the hosts does that share the database."""
        length = self.lease.length
        return Duty(
            store=self.store,
            clock=self.clock,
            owner=self.owner,
            length=length,
            ticks=lambda: self.ticks(length / 3),
        )

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
    def scope_limits(self) -> ScopeLimits:
        """The limits and budgets of owners and repositories."""
        return ScopeLimits(
            store=self.store,
            named=lambda: self.bindings.scopes,
            budgets=lambda: self.bindings.budgets.scoped,
        )

    def terms(self, playbook: str) -> Terms:
        """Return the terms on which Work of a playbook may start now."""
        return self.scope_limits.applied(self.bindings.terms(playbook))

    @property
    def bindings(self) -> Bindings:
        """What Work runs on, as it is in force now."""
        return self.in_force.bindings

    @cached_property
    def registry(self) -> Registry:
        """The executors, now and as earlier configurations had them."""
        return Registry(Generation(self.bindings.generation, self.executors.values()))

    @cached_property
    def executors_of(self) -> ExecutorsOf:
        """The executors of attempts that are under way."""
        return ExecutorsOf(registry=self.registry, store=self.store, rebuild=partial(rebuilt, self.config.data))

    @cached_property
    def passed_on(self) -> PassedOn:
        """What runs get of the bot's own environment."""
        return PassedOn(names=self.config.environment)

    @cached_property
    def explain(self) -> Explain:
        """Why Work is or is not running."""
        return Explain(known=self.playbooks.__contains__, terms=self.terms)

    @cached_property
    def texts(self) -> Texts:
        """How texts are written here: the commands that exist, and the secrets that never show."""
        redactor = Redactor(secrets=self.config.hidden | self.passed_on.values())
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
        executors=parts.executors_of,
        attempts=attempts,
        home=parts.home,
        wake=parts.wake,
    )
    dispatch = DispatchPass(
        store=parts.store,
        clock=parts.clock,
        executors=parts.executors_of,
        handles=attempts.handles,
        owner=parts.owner,
        wake=parts.wake,
    )
    store, sweep, outward = parts.store, [_sweep(parts)], _outward(parts)
    wheels = Wheels(
        loops=parts.loops, closing=[dispatch.close, attempts.close, stop.close], woken=parts.woken, drain=parts.drain
    )
    if isinstance(store, Shared):
        sweep, outward = ([parts.duty.guarded(each) for each in passes] for passes in (sweep, outward))
        wheels = replace(
            wheels, closing=[*wheels.closing, parts.duty.give_back], beside=[lambda: hear(store, parts.wake)]
        )
    parts.loops += [
        _loop(parts, sweep, patience=MUCH),
        _loop(parts, [*_core(parts, attempts, dispatch), Pass(name="stop", run=stop.run)]),
        _loop(parts, outward, patience=MUCH),
    ]
    return wheels


def _loop(parts: Parts, passes: list[Pass], *, patience: int = PATIENCE) -> Loop:
    return Loop(passes=passes, clock=parts.clock, after=parts.after, patience=patience)


def _sweep(parts: Parts) -> Pass:
    sweep = SweepPass(
        sweep=Sweep(parts.store, parts.tracker, parts.desk, parts.clock),
        clock=parts.clock,
        repositories=parts.config.repositories,
        interval=parts.config.settings.sweep,
        wake=parts.wake,
    )
    return Pass(name="sweep", run=sweep.run)


def _core(parts: Parts, attempts: Attempts, dispatch: DispatchPass) -> list[Pass]:
    store, clock = parts.store, parts.clock
    start = StartPass(
        store=store,
        clock=clock,
        in_force=parts.in_force,
        scopes=parts.scope_limits,
        gates=(ApprovalGate(ScopePermission(parts.places, parts.authority)),),
        wanted=parts.wanted,
        places=parts.places,
        lease=parts.lease,
        drain=parts.drain,
        launch=attempts.claimed,
        wake=parts.wake,
    )
    accounts = AccountsPass(store=store, clock=clock, in_force=parts.in_force)
    recover = RecoverPass(
        store=store, clock=clock, lease=parts.lease, home=parts.home, attempts=attempts, drain=parts.drain
    )
    timers = TimersPass(
        store=store,
        clock=clock,
        lease=parts.lease,
        attempts=attempts,
        launch_timeout=parts.config.settings.launch_timeout,
    )
    settle = SettlePass(store=store, clock=clock, scopes=parts.scope_limits, terms=parts.terms, wake=parts.wake)
    return [
        Pass(name="route", run=Router(store, parts.desk, clock, parts.wake).run),
        Pass(name="timers", run=timers.run),
        Pass(name="recover", run=recover.run),
        Pass(name="accounts", run=accounts.run),
        Pass(name="dispatch", run=dispatch.run),
        Pass(name="settle", run=settle.run),
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
        triggers=lambda: {
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
        home=parts.home,
        places=parts.places,
        authority=parts.authority,
        terms=parts.terms,
        clock=parts.clock,
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
    launching = Launching(
        write=partial(_at_once, parts),
        executors=parts.executors_of,
        orders=orders,
        places=parts.places,
        environments=(CommitIdentity(), parts.passed_on),
    )
    return Attempts(
        store=parts.store,
        clock=parts.clock,
        launching=launching,
        publisher=publisher,
        lease_length=parts.lease.length,
        ticks=lambda: parts.ticks(parts.lease.length / 3),
        watch=lambda: parts.ticks(parts.lease.length / 12),
        wake=parts.wake,
    )


async def _at_once(parts: Parts, change: Callable[[Tx, Millis], Any]) -> Any:  # noqa: ANN401 - the change's own value
    now = parts.clock.now()
    return await parts.store.write(lambda tx: change(tx, now))
