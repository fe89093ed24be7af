"""What ``test_zombies.py`` runs in processes of their own: ``python -m tests.scheduler.zombie WHAT BACKEND PLACE``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine, Mapping

from bot.clock import Millis, SystemClock
from bot.domain.execution import Execution
from bot.domain.result import Ending, Outcome, Result
from bot.errors import StaleEpochError
from bot.host.ticks import every
from bot.ids import TimerId, WorkId
from bot.scheduler import launch
from bot.scheduler.finish import finish
from bot.scheduler.lease import Keep, hold
from bot.scheduler.observe import postpone_publishing, store_result
from bot.scheduler.recover import recover
from bot.scheduler.timeout import time_out
from bot.storage.contract import Tx
from tests.factories import claim_one
from tests.storage.backend import named
from tests.storage.twice import Writable

Store = Writable[Tx]

LEASE = 600
"""Real milliseconds."""
WORK = WorkId("wrk-1-1")
CLOCK = SystemClock()


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is how the test learns what happened


def writes(execution: Execution) -> Mapping[str, Callable[[Tx, Millis], object]]:
    """
    Return everything that a holder may write to its attempt.

    What its run declares is not among it: a run that was adopted goes on, and speaks for itself by its token.
    """
    fence, timer = execution.fence, TimerId("tmr-zombie")
    ended = Ending(outcome=Outcome.HANDOFF)
    return {
        "begin": lambda tx, now: launch.begin(tx, fence, token="", isolated=False, now=now),
        "persist": lambda tx, now: launch.persist_recovery(tx, fence, {"pid": 1}, now),
        "confirm": lambda tx, now: launch.confirm(tx, fence, now),
        "renew": lambda tx, now: tx.executions.renew(fence, now=now, lease=LEASE),
        "result": lambda tx, now: store_result(tx, fence, Result(ok=True), now),
        "postpone": lambda tx, now: postpone_publishing(tx, fence, until=now, reason="no", now=now),
        "finish": lambda tx, now: finish(tx, fence, ended, timer=timer, stopped=True, now=now),
        "time out": lambda tx, now: time_out(tx, fence, timer=timer, now=now),
        "release": lambda tx, now: tx.executions.release(fence, now=now, due=now),
        "free": lambda tx, _now: tx.executions.free_slot(fence),
    }


async def holder(store: Store) -> None:
    """Claim the Work and hold it, block the whole process until a line comes, and then try to write everything."""
    claimed = (await claim_one(store, WORK, now=CLOCK.now(), lease=LEASE, owner="zombie")).execution
    fence = claimed.fence

    async def write(change: Callable[[Tx, Millis], object]) -> object:
        now = CLOCK.now()
        return await store.write(lambda tx: change(tx, now))

    async def body() -> None:
        await write(lambda tx, now: launch.begin(tx, fence, token="", isolated=False, now=now))
        await write(lambda tx, now: launch.persist_recovery(tx, fence, {"pid": 1}, now))
        await write(lambda tx, now: launch.confirm(tx, fence, now))
        _say("blocked")
        # The loop does not turn meanwhile, so that no renewal is made and no deadline is seen.
        sys.stdin.readline()
        for name, change in writes(claimed).items():
            try:
                answer = await write(change)
            except StaleEpochError:
                answer = "refused"
            _say(f"{name}: {answer}")
        await asyncio.Event().wait()

    keep = Keep(
        ticks=every(LEASE / 3),
        watch=every(LEASE / 12),
        renew=lambda held: write(lambda tx, now: tx.executions.renew(held, now=now, lease=LEASE)),
        now=CLOCK.now,
        length=LEASE,
        until=claimed.lease_until,
    )
    try:
        await hold(fence, keep, body())
    except StaleEpochError:
        _say("lost")


async def taker(store: Store) -> None:
    """Take the attempt over as soon as its lease has lapsed, and go on with it."""
    async for _ in every(20):
        now = CLOCK.now()
        for execution in await store.read(lambda tx: tx.executions.lapsed(now)):  # noqa: B023 - read at once
            taken = await store.write(lambda tx: recover(tx, execution, owner="taker", lease=10**9, now=now))  # noqa: B023 - as above
            assert taken is not None
            fence = taken.execution.fence
            await store.write(lambda tx: launch.persist_recovery(tx, fence, {"pid": 2}, now))  # noqa: B023 - as above
            _say(f"took {fence.epoch}")
            return


async def watcher(store: Store) -> None:
    """Say when the lease has lapsed, and touch nothing."""
    async for _ in every(20):
        now = CLOCK.now()
        if await store.read(lambda tx: tx.executions.lapsed(now)):  # noqa: B023 - read at once
            _say("lapsed")
            return


PROGRAMS: dict[str, Callable[[Store], Coroutine[None, None, None]]] = {
    "holder": holder,
    "taker": taker,
    "watcher": watcher,
}


async def main(what: str, backend: str, place: str) -> None:
    """Open the store and run the program."""
    store = await named(backend).open(place, bind=Tx)
    await PROGRAMS[what](store)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
