"""
Coming to rest: nothing fails any more, and everything goes on until nothing happens.

Then the thread must equal the store, and nothing may be left to do.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.clock import MINUTE, SECOND
from bot.domain.event import Routing
from bot.domain.execution import Phase
from bot.domain.result import Result
from bot.storage.contract import Tx
from bot.storage.threads import ThreadComment
from bot.views.markers import marked_as
from bot.views.query import Threads
from projectors.desired import desired
from projectors.diff import Actual, diff
from projectors.digest import digest
from tests.simulation.mortal import Fate
from tests.simulation.tracker.state import BOT
from tests.simulation.world import World

MOST_ROUNDS = 250
PAUSES = (SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 11 * MINUTE)
QUIET = 4
"""Rounds in a row in which there is nothing to do, each longer than the time between two sweeps."""


def come_to_rest(world: World) -> Iterator[str]:
    """Let everything come to its end. Yields what is wrong then, each as ``name: what``."""
    _heal(world)
    left = _settle(world)
    if not left and world.twins:
        # A host that stood still may have written what had been true over what another had written meanwhile: nothing
        # at the tracker fences it. The next change of the thread puts that right.
        world.around.loop.run_until(world.around.store.write(_touch_all))
        left = _settle(world)
    if world.violation is not None:
        return
    if left:
        yield f"everything_comes_to_rest: still to do: {'; '.join(left)}"
        return
    yield from _at_rest(world)


def _settle(world: World) -> list[str]:
    """Go on until there was nothing to do for a while. Returns what is still to be done when that does not come."""
    quiet, left = 0, ["everything"]
    for number in range(MOST_ROUNDS):
        left = _round(world, PAUSES[min(number % 12, len(PAUSES) - 1)])
        quiet = 0 if left else quiet + 1
        if quiet == QUIET or world.violation is not None:
            return []
    return left


def _heal(world: World) -> None:
    world.choices.rest()
    world.history.tell("world", "comes to rest")
    world.around.network.down = False
    world.touch_what_people_changed()
    for name in world.offsets:
        if not world.hosts[name].life.alive:
            world.start_host(name)
        life = world.hosts[name].life
        life.awake, life.fate = True, Fate()
    world.around.machine.key += 1
    for run in world.around.machine.runs:
        run.stubborn = 0


def _round(world: World, pause: int) -> list[str]:
    world.steps += 1
    world.history.step = world.steps
    machine = world.around.machine
    for host in world.hosts.values():
        while host.life.stood:
            host.life.go_on(0)
            world.drain()
    for run in machine.alive():
        run.end(Result(ok=True), told=True)
    for run in machine.untold():
        run.tell()
    for run in machine.runs:
        run.stubborn = 0
    _deliver_all(world)
    for host in world.hosts.values():
        for place in host.free():
            host.turn(place)
            world.drain()
    world.pass_time(pause)
    return list(_left(world))


def _deliver_all(world: World) -> None:
    outbox = world.around.desk.outbox
    while outbox:
        delivery = outbox.pop(0)
        answers: list[int] = []
        world.living()[0].deliver(delivery, answers)
        world.drain()
        if 202 in answers:
            world.acknowledged.append(delivery.guid)


def _left(world: World) -> Iterator[str]:
    """Yield what is still to be done."""
    if world.around.desk.outbox:
        yield f"{len(world.around.desk.outbox)} deliveries are on their way"
    for host in world.hosts.values():
        for label, _ in host.life.stood:
            yield f"{host.life.name} stands at {label}"
    for run in world.around.machine.alive():
        yield f"{run.key} runs"
    yield from world.around.loop.run_until(world.around.store.read(lambda tx: _stored(tx, world)))


def _stored(tx: Tx, world: World) -> list[str]:
    explain = world.living()[0].parts.explain
    now = world.living()[0].clock.now()
    left = [
        f"attempt {each.id} is {each.phase.value}" for each in tx.executions.live() if each.phase is not Phase.PARKED
    ]
    left += [f"attempt {each.id} is not confirmed to have stopped" for each in tx.executions.unconfirmed()]
    left += [f"event {each.natural_key} is not routed: {each.note}" for each in tx.events.pending()]
    left += [f"usage of {each.execution} is not charged" for each in tx.ledgers.staged()]
    left += [f"a reply in {note.item} is not made" for note in tx.notes.pending()]
    left += [f"a timer of {timer.work} is armed" for timer in tx.timers.due(type(now)(2**60))]
    left += [
        f"{row['item']} is not projected"
        for row in tx.works.sql.all("simulation_threads")
        if row["wanted"] > row["shown"] and row["parked"] is None
    ]
    for work in tx.works.all_live():
        refused = explain.refusal(tx, work, now)
        if refused is None or refused.until is not None:
            left.append(f"{work.id} could start{'' if refused is None else f', later: {refused.reason.value}'}")
    return left


def _at_rest(world: World) -> Iterator[str]:
    desk, loop, store = world.around.desk, world.around.loop, world.around.store
    dead = loop.run_until(store.read(lambda tx: list(tx.events.by_routing(Routing.DEAD))))
    gone = {f"item:{place.id}/{item.number}" for place in desk.places for item in place.items.values() if item.gone}
    for each in dead:
        if gone.isdisjoint(each.keys):
            yield f"no_event_is_given_up: {each.natural_key}: {each.note}"
    yield from loop.run_until(store.read(lambda tx: list(_said_is_known(tx, world))))
    yield from loop.run_until(store.read(lambda tx: list(_all_is_heard(tx, world))))
    yield from loop.run_until(store.read(lambda tx: list(_thread_shows_the_store(tx, world))))
    yield from _every_comment_once(world)
    before = desk.writes
    loop.run_until(store.write(_touch_all))
    for _ in range(2):
        for host in world.hosts.values():
            for place in host.free():
                host.turn(place)
                world.drain()
        world.pass_time(SECOND)
    if desk.writes != before:
        yield f"a_second_projection_writes_nothing: {desk.writes - before} writes"


def _touch_all(tx: Tx) -> None:
    for row in tx.works.sql.all("simulation_threads"):
        tx.threads.touch(row["item"])


def _said_is_known(tx: Tx, world: World) -> Iterator[str]:
    for guid in world.acknowledged:
        if tx.deliveries.get(guid) is None:
            yield f"what_was_acknowledged_is_kept: {guid} is not stored"


def _all_is_heard(tx: Tx, world: World) -> Iterator[str]:
    """Ensure that what people say in a thread is found, also when no delivery told of it."""
    heard = {row["natural_key"].partition("/edited")[0] for row in tx.works.sql.all("simulation_events")}
    for place, item in world.around.desk.entries():
        for each in item.comments:
            key = f"comment:{place.id}/{each.id}"
            if each.author != BOT and key not in heard:
                yield f"all_that_is_said_is_heard: {key} by {each.author.login} is unknown"


def _thread_shows_the_store(tx: Tx, world: World) -> Iterator[str]:
    parts, now = world.living()[0].parts, world.living()[0].clock.now()
    threads, desk = Threads(playbooks=parts.playbooks, explain=parts.explain), world.around.desk
    for place, item in desk.entries():
        key = f"item:{place.id}/{item.number}"
        thread = tx.threads.get(key)
        if thread is None or thread.parked is not None:
            continue
        view = threads.view(tx, key, now)
        if not view.sections:
            continue
        wanted = desired(view, parts.texts, now)
        # What people deleted is written anew when it changes, and not before.
        erased = {each.key: each for each in tx.threads.comments(key) if each.comment in desk.erased}
        stands = {
            mark: ThreadComment(key=mark, comment=each.id, digest=digest(each.body))
            for each in item.comments
            if each.author == BOT and (mark := marked_as(each.body)) is not None
        }
        known = {**erased, **stands}
        for operation in diff(wanted, Actual(labels=frozenset(item.labels), comments=known)):
            yield f"the_thread_shows_the_store: {place.name}#{item.number} lacks {operation}"


def _every_comment_once(world: World) -> Iterator[str]:
    """Where one process at a time serves the store, no comment of ours stands there twice."""
    if world.twins:
        return
    for place, item in world.around.desk.entries():
        marks = [each.body.partition("\n")[0] for each in item.comments if each.author.login == "trackside"]
        for mark in dict.fromkeys(marks):
            if marks.count(mark) > 1:
                where = f"{place.name}#{item.number}"
                yield f"every_comment_stands_once: {mark} stands {marks.count(mark)} times in {where}"
