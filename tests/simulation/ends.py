"""How runs end: well or badly, with a word or without one, and with what they say of what they used and took in."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import MINUTE, Millis
from bot.domain.result import Deferral, Result
from bot.domain.retry import RetryHint
from bot.domain.turn import Turn
from bot.domain.wait import Awaited, Suspension
from bot.ids import EventId
from tests.simulation.executor import ACCOUNT
from tests.simulation.machine import Run
from tests.simulation.playbooks import POOLS, WORDS
from tests.simulation.world import World

ENDS = (
    (12, "word"),
    (2, "silent"),
    (3, "failed"),
    (1, "hopeless"),
    (2, "dead"),
    (2, "hinted"),
    (4, "deferred"),
    (4, "suspended"),
)
"""How a run ends."""


def result_of(world: World, run: Run) -> Result | None:
    """Return what a run leaves at its end, None when it dies."""
    how = world.choices.weighted(ENDS)
    if how == "dead":
        return None
    result = Result(ok=True, units=_units(world), consumed=_consumed(world, run))
    match how:
        case "word":
            result = replace(result, turn=Turn(status=world.choices.of(words_of(run)), comment="So it is."))
        case "failed" | "hopeless":
            result = replace(result, ok=False, summary="it broke", permanent=how == "hopeless")
        case "hinted":
            result = replace(result, ok=False, summary="the limit is reached", hint=_hint(world))
        case "deferred":
            result = replace(result, ok=False, deferral=_deferral(world))
        case "suspended":
            until = world.choices.of((None, Millis(world.time.now + 5 * MINUTE)))
            awaited = Awaited(kinds=("comment",), until=until)
            result = replace(result, suspension=Suspension(awaited=awaited, session={"stretch": run.key}))
    return result


def _hint(world: World) -> RetryHint:
    wait = world.choices.of((MINUTE, None, -MINUTE))
    return RetryHint(reset_at=None if wait is None else Millis(world.time.now + wait))


def _deferral(world: World) -> Deferral:
    account, wait = world.choices.of(((None, 4 * MINUTE), (ACCOUNT, 4 * MINUTE), (ACCOUNT, None), (None, None)))
    until = None if wait is None else Millis(world.time.now + wait)
    return Deferral(reason="the provider asks to wait", until=until, account=account)


def _units(world: World) -> dict[str, float]:
    """Return what the run used, as far as it says."""
    used = world.choices.weighted(((4, 3), (2, 0), (1, 7), (2, None)))
    units = {"minutes": float(world.choices.below(5))}
    return units if used is None else {**units, "usd": float(used)}


def _consumed(world: World, run: Run) -> tuple[EventId, ...]:
    return tuple(run.taken) if run.taken and not world.choices.one_in(3) else ()


def words_of(run: Run) -> tuple[str, ...]:
    """Return the words that a run may end with."""
    gated, free = WORDS.values()
    return gated if run.pool == POOLS["agent"] else free


def said(result: Result | None) -> str:
    """Return the end of a run in a few words."""
    if result is None:
        return "dies"
    words = {
        "deferred": result.deferral is not None,
        "suspended": result.suspension is not None,
        "failed for good": result.permanent,
        "failed": not result.ok,
        "says nothing": result.turn is None,
    }
    return next((word for word, said in words.items() if said), "") or (result.turn.status if result.turn else "")
