"""The steps of a simulation: what may happen next, and how likely it is."""

from __future__ import annotations

from collections.abc import Callable

from bot.clock import MINUTE, SECOND
from bot.domain.turn import Turn
from tests.simulation.ends import result_of, said, words_of
from tests.simulation.host import LEASE, LOOPS, SimulatedHost
from tests.simulation.mortal import LIFE, Fate, Harm
from tests.simulation.store import CHANGE
from tests.simulation.world import World

DECIDING = LOOPS.index("what is decided")
MANY = 2
PAUSES = (SECOND, 5 * SECOND, 20 * SECOND, 61 * SECOND, 3 * MINUTE, 11 * MINUTE)
LEAPS = (SECOND, -SECOND, 20 * SECOND, -20 * SECOND, 4 * MINUTE, -4 * MINUTE)
BACK = (-4 * MINUTE, -MINUTE, -20 * SECOND, 4 * MINUTE)
"""By how much a clock is set, and while a run is at work: a lease that is renewed then must not end earlier."""
SKEW = 10 * MINUTE
TWIN_SKEW = LEASE // 6
"""How far clocks may be off: more where one host is alone with its database."""

CALM, ROUGH = 60, 15
"""How much likelier than any harm it is that nothing happens; by world."""
HARMS = (
    (4, Harm.KILL),
    (6, Harm.PARK),
    (2, Harm.UNAVAILABLE),
    (2, Harm.LOST_ANSWER),
    (1, Harm.LIMITED),
    (1, Harm.REFUSED),
    (1, Harm.BUSY),
)
SOON = (0, 1, 2, 3, 5, 8, 12, 20, 30, 45)
"""After how many boundaries a harm strikes."""


def turn(world: World) -> bool:
    """Turn one loop of a host, under some fate."""
    free = [(host, place) for host in world.living() for place in host.free()]
    if not free:
        return False
    host, place = world.choices.of(free)
    _under_fate(world, host)
    world.history.tell(host.life.name, f"turns {LOOPS[place]}")
    host.turn(place)
    return True


def round_of_all(world: World) -> bool:
    """Turn every loop of a host, one after the other."""
    hosts = world.living()
    if not hosts:
        return False
    host = world.choices.of(hosts)
    _under_fate(world, host)
    world.history.tell(host.life.name, "turns everything")
    for place in host.free():
        if host.life.alive:
            host.turn(place)
            world.drain()
    return True


def race(world: World) -> bool:
    """Let one host stand still right before it decides something, and another one decide meanwhile."""
    racing = [host for host in world.living() if DECIDING in host.free()]
    if len(racing) < MANY:
        return False
    slow = world.choices.of(racing)
    quick = next(host for host in racing if host is not slow)
    world.history.reach("race")
    world.history.tell(slow.life.name, f"turns {LOOPS[DECIDING]}, slowly")
    slow.life.fate = Fate(harm=Harm.PARK, after=world.choices.of(SOON[:3]), at=CHANGE)
    slow.turn(DECIDING)
    world.drain()
    harm = world.choices.of((Harm.NONE, Harm.UNAVAILABLE, Harm.LIMITED))
    quick.life.fate = Fate(harm=harm, after=world.choices.below(2))
    world.history.tell(quick.life.name, f"turns {LOOPS[DECIDING]}, quickly")
    quick.turn(DECIDING)
    world.drain()
    while slow.life.alive and slow.life.stood:
        world.history.tell(slow.life.name, f"goes on at {slow.life.go_on(0)}")
        world.drain()
    return True


def go_on(world: World) -> bool:
    """Let something that stands still go on."""
    standing = [(host, place) for host in world.living() for place in range(len(host.life.stood))]
    if not standing:
        return False
    host, place = world.choices.of(standing)
    _under_fate(world, host)
    world.history.tell(host.life.name, f"goes on at {host.life.go_on(place)}")
    return True


def deliver(world: World) -> bool:
    """Deliver a webhook: in order or not, once or twice."""
    outbox = world.around.desk.outbox
    if not outbox or not world.living():
        return False
    place = world.choices.below(min(len(outbox), 8))
    delivery = outbox[place]
    if world.choices.one_in(8):
        world.history.reach("doubled delivery")
    else:
        outbox.pop(place)
    if place:
        world.history.reach("late delivery")
    host = world.choices.of(world.living())
    _under_fate(world, host)
    world.history.tell(host.life.name, f"is told {delivery.event} {delivery.action} by {delivery.guid}")
    answers: list[int] = []
    host.deliver(delivery, answers)
    world.drain()
    if 202 in answers:
        world.acknowledged.append(delivery.guid)
    return True


def lose(world: World) -> bool:
    """Lose a webhook."""
    outbox = world.around.desk.outbox
    if not outbox:
        return False
    lost = outbox.pop(world.choices.below(len(outbox)))
    world.history.reach("lost delivery")
    world.history.tell("network", f"loses {lost.event} {lost.action} of {lost.guid}")
    return True


def people(world: World) -> bool:
    """Let a person do something."""
    done = world.crowd.act()
    if done is None:
        return False
    world.history.tell(*done)
    return True


def wait(world: World) -> bool:
    """Let time pass."""
    milliseconds = world.choices.of(PAUSES)
    world.history.tell("time", f"passes: {milliseconds // SECOND} s")
    world.pass_time(milliseconds)
    return True


def set_clock(world: World) -> bool:
    """Set a host's clock."""
    name = world.choices.of(tuple(world.offsets))
    at_work = bool(world.around.machine.alive())
    leap, limit = world.choices.of(BACK if at_work else LEAPS), TWIN_SKEW if world.twins else SKEW
    offset = max(-limit, min(limit, world.offsets[name] + leap))
    world.history.reach("clock back" if offset < world.offsets[name] else "clock forward")
    world.offsets[name] = world.hosts[name].clock.offset = offset
    world.history.tell(name, f"has its clock set: {offset / SECOND:+g} s")
    return True


def end_run(world: World) -> bool:
    """Let a run end, or die."""
    alive = world.around.machine.alive()
    if not alive:
        return False
    run = world.choices.of(alive)
    result = result_of(world, run)
    told = not world.choices.one_in(5)
    if not told:
        world.history.reach("late result")
    world.history.tell("machine", f"ends {run.key}: {said(result)}{'' if told else ', unseen'}")
    run.end(result, told=told)
    return True


def tell_end(world: World) -> bool:
    """Let the end of a run be seen."""
    untold = world.around.machine.untold()
    if not untold:
        return False
    run = world.choices.of(untold)
    world.history.tell("machine", f"shows the end of {run.key}")
    run.tell()
    return True


def declare(world: World) -> bool:
    """Let a run declare its turn."""
    alive, hosts = world.around.machine.alive(), world.living()
    if not alive or not hosts:
        return False
    run, host = world.choices.of(alive), world.choices.of(hosts)
    word = world.choices.of(words_of(run))
    world.history.reach("declared")
    world.history.tell("machine", f"{run.key} declares {word}")
    host.declare(run.token, Turn(status=word, comment="So I declare."))
    return True


def renew(world: World) -> bool:
    """Renew what the provider's account is used with."""
    world.around.machine.key += 1
    world.history.tell("operator", "renews the credentials of the account")
    return True


def hang(world: World) -> bool:
    """Let a run go on for longer than it may."""
    alive = world.around.machine.alive()
    if not alive:
        return False
    run = world.choices.of(alive)
    world.history.reach("hang")
    world.history.tell("time", f"passes while {run.key} hangs")
    world.pass_time(run.timeout)
    return True


def kill(world: World) -> bool:
    """Kill a host between two steps, or let it end in order."""
    hosts = world.living()
    if not hosts:
        return False
    host = world.choices.of(hosts)
    if world.choices.one_in(3):
        world.history.tell(host.life.name, "is shut down")
        host.shut_down()
        world.drain()
    else:
        world.history.reach("kill")
        world.history.tell(host.life.name, "is killed")
    host.life.kill()
    return True


def restart(world: World) -> bool:
    """Start a host that is dead."""
    dead = [name for name, host in world.hosts.items() if not host.life.alive]
    if not dead:
        return False
    name = world.choices.of(dead)
    world.history.tell(name, "is started")
    world.start_host(name)
    return True


def pause(world: World) -> bool:
    """Stop the whole process of a host, perhaps past its leases."""
    hosts = world.living()
    if not hosts:
        return False
    host = world.choices.of(hosts)
    host.life.awake = False
    world.history.tell(host.life.name, "is paused")
    if world.choices.one_in(2):
        world.history.reach("paused past a lease")
        world.history.tell("time", "passes a lease")
        world.pass_time(LEASE + SECOND)
    return True


def resume(world: World) -> bool:
    """Let a paused process go on: with what stood still, or by renewing its leases, if they still can be."""
    paused = [host for host in world.hosts.values() if host.life.alive and not host.life.awake]
    if not paused:
        return False
    host = world.choices.of(paused)
    host.life.awake = True
    world.history.tell(host.life.name, "is resumed")
    while host.life.alive and host.life.stood and world.choices.one_in(2):
        world.history.tell(host.life.name, f"goes on at {host.life.go_on(0)}")
        world.drain()
    host.life.beat(world.time.now)
    return True


def cut_off(world: World) -> bool:
    """Take the tracker away."""
    if world.around.network.down:
        return False
    world.around.network.down = True
    world.history.tell("network", "is down")
    return True


def connect(world: World) -> bool:
    """Bring the tracker back."""
    if not world.around.network.down:
        return False
    world.around.network.down = False
    world.history.tell("network", "is up")
    return True


Move = Callable[[World], bool]

MOVES: tuple[tuple[int, Move], ...] = (
    (40, turn),
    (60, round_of_all),
    (56, people),
    (28, deliver),
    (5, lose),
    (14, wait),
    (20, go_on),
    (24, race),
    (36, end_run),
    (8, tell_end),
    (4, declare),
    (2, renew),
    (2, hang),
    (8, set_clock),
    (3, kill),
    (24, restart),
    (3, pause),
    (14, resume),
    (1, cut_off),
    (20, connect),
)


def step(world: World) -> None:
    """Let one thing happen."""
    world.steps += 1
    world.history.step = world.steps
    world.choices.next_step()
    move = world.choices.weighted(MOVES)
    if not move(world) and not turn(world) and not restart(world):
        resume(world)
    world.drain()
    for host in world.hosts.values():
        host.life.fate.harm = Harm.NONE


def _under_fate(world: World, host: SimulatedHost) -> None:
    harm = world.choices.weighted(((ROUGH if world.rough else CALM, Harm.NONE), *HARMS))
    if harm is Harm.NONE:
        host.life.fate = Fate()
    elif harm in LIFE and world.choices.one_in(2):
        host.life.fate = Fate(harm=harm, after=world.choices.of(SOON[:5]), at=CHANGE)
    else:
        host.life.fate = Fate(harm=harm, after=world.choices.of(SOON))
