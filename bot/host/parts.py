"""What a host is made of: what it was given, and the small things that are made of it once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from bot.clock import Clock
from bot.domain.admission import Terms
from bot.executors.contract import Executor
from bot.executors.registry import Generation, Registry
from bot.executors.workspace.git import Git
from bot.executors.workspace.workspaces import Workspaces
from bot.host.bindings import Bindings
from bot.host.config import Config
from bot.host.drain import Drain
from bot.host.duty import Duty
from bot.host.environment import PassedOn
from bot.host.executors import ExecutorsOf, rebuilt
from bot.host.git_tokens import git_tokens
from bot.host.home import Home
from bot.host.in_force import InForce, PlaybooksInForce, bound
from bot.host.loop import Loop
from bot.host.places import Places, Wanted
from bot.host.scope_limits import ScopeLimits
from bot.host.start import Lease
from bot.playbook.playbook import Playbook
from bot.storage.contract import Shared, Store
from bot.trackers.contract import Person, Tracker
from bot.views.standing import Explain
from projectors.limiters import Limiters
from projectors.pace import GITHUB, Pace
from projectors.redact import Redactor
from projectors.safe import Safe
from projectors.settings import Command
from projectors.settings import Settings as Texts
from webhooks.authority import Authority
from webhooks.desk import Desk
from webhooks.served import Served
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
    mark: str
    pace: Pace = GITHUB
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
    def served(self) -> Served:
        """Which repositories are served."""
        return Served(self.tracker, self.clock, self.config.repositories)

    @cached_property
    def wanted(self) -> Wanted:
        """Whether items still ask for their Work."""
        return Wanted(self.places, self.tracker)

    @cached_property
    def limiters(self) -> Limiters:
        """The gates for writes to the tracker: an App has limits for each account that it is installed on."""
        return Limiters(clock=self.clock, pace=self.pace, by_owner=bool(self.config.tracker.app_id))

    @cached_property
    def workspaces(self) -> Workspaces:
        """Where runs work. A token goes to git only for a repository that is reached over HTTP."""
        git = Git(token=git_tokens(self.tracker))
        return Workspaces(root=self.config.data.absolute() / "workspaces", git=git)

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
        redactor = Redactor(self.config.hidden | self.passed_on.values(), lambda: self.tracker.hidden)
        commands = tuple(Command(form=each.form, description=each.description) for each in VERBS.values())
        return Texts(safe=Safe(redactor=redactor), instance=self.mark, commands=commands)

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
