"""The passes of a host, made from the parts that they share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from bot.approvals.gate import ApprovalGate
from bot.clock import MINUTE, Millis
from bot.host.accounts import AccountsPass
from bot.host.attempts import Attempts
from bot.host.calls import Calls
from bot.host.dispatching import DispatchPass
from bot.host.environment import CommitIdentity
from bot.host.hearing import hear
from bot.host.launching import Launching
from bot.host.loop import MUCH, PATIENCE, Loop, Pass
from bot.host.orders import Orders
from bot.host.parts import Parts
from bot.host.places import ScopePeople
from bot.host.publishing import Publisher
from bot.host.recovery import RecoverPass, StopPass, TimersPass
from bot.host.redelivering import RedeliverPass
from bot.host.settling import SettlePass
from bot.host.start import StartPass
from bot.host.sweeping import Reads, SweepPass
from bot.host.wheels import Wheels
from bot.storage.contract import Shared, Tx
from bot.views.query import Threads
from projectors.assigning import Assigning
from projectors.checking import Checking
from projectors.label_pace import LabelPace
from projectors.notes import NotesPass
from projectors.parked import UnparkPass
from projectors.post import Post
from projectors.project import ProjectPass
from projectors.triggers import TriggerLabels
from webhooks.handlers.reach import SWEEP_ASKED
from webhooks.handlers.repositories import labels_changed
from webhooks.polling import Poll
from webhooks.redelivery import Redelivery
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
    calls = Calls(reading="sweep", most=settings.sweep_calls, window=settings.sweep, clock=parts.clock)
    sweep = Sweep(parts.store, parts.tracker.sparing(calls), parts.desk, parts.clock)
    passes = [_reading(parts, sweep, settings.sweep, calls)]
    if parts.config.tracker.app_id and not parts.config.polls:
        redelivery = Redelivery(store=parts.store, tracker=parts.tracker, clock=parts.clock)
        again = RedeliverPass(redelivery=redelivery, clock=parts.clock, interval=settings.sweep)
        passes.append(Pass(name="redeliver", run=again.run))
    if parts.config.polls:
        # Rounds are short: what happens at once in many places may use up more than one of them.
        window = max(settings.poll, MINUTE)
        calls = Calls(reading="poll", most=settings.sweep_calls, window=window, clock=parts.clock)
        told = Sweep(parts.store, parts.tracker.sparing(calls), parts.desk, parts.clock, found_missed=False)
        passes.append(_reading(parts, Poll(told, parts.clock), settings.poll, calls))
    return passes


def _reading(parts: Parts, reads: Reads, interval: int, calls: Calls) -> Pass:
    reading = SweepPass(
        sweep=reads,
        clock=parts.clock,
        repositories=parts.config.repositories,
        interval=interval,
        calls=calls,
        wake=parts.wake,
        asked=partial(_sweep_asked, parts),
    )
    return Pass(name=calls.reading, run=reading.run)


def _core(parts: Parts, attempts: Attempts, dispatch: DispatchPass) -> list[Pass]:
    store, clock = parts.store, parts.clock
    start = StartPass(
        store=store,
        clock=clock,
        in_force=parts.in_force,
        scopes=parts.scope_limits,
        gates=(ApprovalGate(ScopePeople(parts.places, parts.authority)),),
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
        Pass(name="route", run=Router(store, parts.desk, parts.served, clock, parts.wake).run),
        Pass(name="timers", run=timers.run),
        Pass(name="recover", run=recover.run),
        Pass(name="accounts", run=accounts.run),
        Pass(name="dispatch", run=dispatch.run),
        Pass(name="settle", run=settle.run),
        Pass(name="start", run=start.run),
    ]


def _outward(parts: Parts) -> list[Pass]:
    post = Post(parts.store, parts.tracker, parts.limiters, parts.me, parts.mark)
    notes = NotesPass(
        store=parts.store,
        tracker=parts.tracker,
        clock=parts.clock,
        limiters=parts.limiters,
        post=post,
        settings=parts.texts,
    )
    assigning = Assigning(
        store=parts.store,
        tracker=parts.tracker,
        limiters=parts.limiters,
        me=parts.me,
        wanted=parts.config.tracker.assign,
    )
    project = ProjectPass(
        store=parts.store,
        tracker=parts.tracker,
        clock=parts.clock,
        limiters=parts.limiters,
        post=post,
        threads=Threads(playbooks=parts.playbooks, explain=parts.explain),
        settings=parts.texts,
        assigning=assigning,
        checking=Checking(
            store=parts.store,
            tracker=parts.tracker,
            clock=parts.clock,
            limiters=parts.limiters,
            me=parts.me,
            settings=parts.texts,
        ),
        pace=LabelPace(clock=parts.clock),
    )
    triggers = TriggerLabels(
        tracker=parts.tracker,
        clock=parts.clock,
        limiters=parts.limiters,
        repositories=parts.config.repositories,
        changed=partial(_labels_changed, parts),
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
        me=parts.me,
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
        limiters=parts.limiters,
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


async def _sweep_asked(parts: Parts) -> str:
    return await parts.store.read(lambda tx: tx.cursors.get(SWEEP_ASKED)) or ""


async def _labels_changed(parts: Parts, repository: str) -> str:
    return await parts.store.read(lambda tx: tx.cursors.get(labels_changed(repository))) or ""


async def _at_once(parts: Parts, change: Callable[[Tx, Millis], Any]) -> Any:  # noqa: ANN401 - the change's own value
    now = parts.clock.now()
    return await parts.store.write(lambda tx: change(tx, now))
