"""What tests run in processes of their own: ``python -m tests.storage.conformance.child WHAT BACKEND PLACE NAME …``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine

from bot.domain.admission import Limits, Terms
from bot.domain.budget import Budget, Per, whole
from bot.domain.event import Routing
from bot.ids import EventId, ExecutionId, WorkId
from bot.scheduler.claim import Claimed
from bot.storage.contract import Tx
from bot.storage.works import Ready
from tests.clock import START
from tests.factories import UNLIMITED, make_binding, make_event, make_work, put_work, try_claim
from tests.storage.backend import named
from tests.storage.conformance.conftest import Store


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - this is how the test learns what happened


async def claim(store: Store, name: str, limit: str) -> None:
    """Claim every Work that is ready, eight at a time, and print what was claimed."""
    limits = Limits(default=int(limit), pools=())

    async def one(work: Ready) -> None:
        execution = ExecutionId(f"exe-{name}-{work.id}")
        answer = await try_claim(store, work.id, now=START, limits=limits, owner=name, execution=execution)
        if isinstance(answer, Claimed):
            _say(f"{work.id} {execution}")

    works = await store.read(lambda tx: tx.works.ready())
    for start in range(0, len(works), 8):
        await asyncio.gather(*(one(work) for work in works[start : start + 8]))


async def spend(store: Store, name: str, most: str) -> None:
    """Start every Work that is ready, all at once, under a budget of everything, and print what was started."""
    terms = Terms(
        pool="agents",
        limits=UNLIMITED,
        budgets=(Budget(unit="usd", max=whole(float(most)), per=Per.ALL),),
        estimate={"usd": whole(1)},
    )
    binding = make_binding(estimate=terms.estimate)

    async def one(work: Ready) -> None:
        execution = ExecutionId(f"exe-{name}-{work.id}")
        answer = await try_claim(
            store, work.id, now=START, terms=terms, binding=binding, owner=name, execution=execution
        )
        if isinstance(answer, Claimed):
            _say(f"{work.id} {execution}")

    works = await store.read(lambda tx: tx.works.ready())
    await asyncio.gather(*(one(work) for work in works))


async def accept(store: Store, name: str, times: str) -> None:
    """Accept facts that the other process accepts too, each followed by one of its own; print those that were new."""
    for number in range(int(times)):
        for key in (f"shared-{number}", f"own-{name}-{number}"):
            event = make_event(key, id=EventId(f"evt-{name}-{key}"))
            if await store.write(lambda tx, e=event: tx.events.accept(e, START, routing=Routing.PENDING)):  # type: ignore[misc] # a default pins the loop's value
                _say(key)


async def label(store: Store, name: str, times: str) -> None:
    """Open Work on items whose label the other process has seen too; print the items on which it was opened."""
    for number in range(1, int(times) + 1):
        work = make_work(number, id=WorkId(f"wrk-{name}-{number}"))
        if await store.write(lambda tx, w=work: put_work(tx, w)):  # type: ignore[misc] # a default pins the loop's value
            _say(work.item)


PROGRAMS: dict[str, Callable[[Store, str, str], Coroutine[None, None, None]]] = {
    "claim": claim,
    "spend": spend,
    "accept": accept,
    "label": label,
}


async def main(what: str, backend: str, place: str, name: str, *more: str) -> None:
    """Open the store, say so, wait for the word to go, and run the program."""
    store = await named(backend).open(place, bind=Tx)
    _say("ready")
    sys.stdin.readline()
    await PROGRAMS[what](store, name, *more)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
