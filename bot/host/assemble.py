"""The passes of a host, made from the parts that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bot.approvals.gate import ApprovalGate
from bot.clock import Millis
from bot.host.accounts import AccountsPass
from bot.host.attempts import Attempts
from bot.host.dispatching import DispatchPass
from bot.host.environment import CommitIdentity
from bot.host.hearing import hear
from bot.host.launching import Launching
from bot.host.loop import MUCH, PATIENCE, Loop, Pass
from bot.host.orders import Orders
from bot.host.parts import Parts
from bot.host.places import ScopePermission
from bot.host.publishing import Publisher
from bot.host.recovery import RecoverPass, StopPass, TimersPass
from bot.host.settling import SettlePass
from bot.host.start import StartPass
from bot.host.sweeping import Reads, SweepPass
from bot.host.wheels import Wheels
from bot.storage.contract import Shared, Tx
from bot.views.query import Threads
from projectors.notes import NotesPass
from projectors.parked import UnparkPass
from projectors.post import Post
from projectors.project import ProjectPass
from projectors.triggers import TriggerLabels
from webhooks.polling import Poll
from webhooks.router import Router
from webhooks.sweep import Sweep


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
    store, sweep, outward = parts.store, _inward(parts), _outward(parts)
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


def _inward(parts: Parts) -> list[Pass]:
    """Return the passes that ask the tracker for what happened."""
    settings = parts.config.settings
    sweep = Sweep(parts.store, parts.tracker, parts.desk, parts.clock)
    passes = [_reading(parts, "sweep", sweep, settings.sweep)]
    if parts.config.polls:
        poll = Poll(replace(sweep, found_missed=False), parts.clock)
        passes.append(_reading(parts, "poll", poll, settings.poll))
    return passes


def _reading(parts: Parts, name: str, reads: Reads, interval: int) -> Pass:
    reading = SweepPass(
        sweep=reads,
        clock=parts.clock,
        repositories=parts.config.repositories,
        interval=interval,
        wake=parts.wake,
    )
    return Pass(name=name, run=reading.run)


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
