"""Configurations that attempts were started under."""

from __future__ import annotations

from dataclasses import replace

from bot.clock import HOUR, Millis
from bot.domain.execution import Execution
from bot.domain.result import Outcome
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import claim_one, make_binding, ready_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + HOUR)


async def claimed(store: Store, generation: str, number: int = 1) -> Execution:
    """Claim a Work under a generation, as the host does."""
    work = await ready_work(store, number)
    await store.write(lambda tx: tx.generations.keep(generation, {"grace": number}, START))
    return (await claim_one(store, work.id, now=START, binding=make_binding(generation=generation))).execution


async def kept(store: Store) -> list[str]:
    return sorted(await store.read(lambda tx: tx.generations.all()))


async def prune(store: Store, before: Millis = LATER) -> int:
    return await store.write(lambda tx: tx.generations.prune(before))


async def test_a_generation_comes_back_as_it_was_kept(store: Store) -> None:
    document = {"version": 1, "playbooks": {"ü": "0f"}}
    await store.write(lambda tx: tx.generations.keep("g1", document, START))
    assert await store.read(lambda tx: tx.generations.get("g1")) == document
    assert await store.read(lambda tx: tx.generations.get("g2")) is None
    assert await store.read(lambda tx: tx.generations.all()) == {"g1": document}


async def test_a_generation_that_is_kept_again_stays_what_it_was(store: Store) -> None:
    for document in ({"grace": 1}, {"grace": 2}):
        await store.write(lambda tx, each=document: tx.generations.keep("g1", each, START))  # type: ignore[misc]
    assert await store.read(lambda tx: tx.generations.get("g1")) == {"grace": 1}


# C-21
async def test_a_generation_is_kept_while_an_attempt_under_it_is_unfinished_or_not_known_to_have_stopped(
    store: Store,
) -> None:
    running, stopping, over = [await claimed(store, f"g{number}", number) for number in (1, 2, 3)]

    def end(tx: Tx) -> None:
        tx.executions.end(replace(stopping, slot=True), Outcome.CANCELLED, "no", START)
        tx.executions.end(replace(over, slot=False), Outcome.CANCELLED, "no", START)

    await store.write(end)
    assert await prune(store) == 1
    assert await kept(store) == ["g1", "g2"]

    def stop(tx: Tx) -> None:
        tx.executions.free_slot(stopping.fence)
        tx.executions.end(replace(running, slot=False), Outcome.CANCELLED, "no", START)

    await store.write(stop)
    assert await prune(store) == 2
    assert await kept(store) == []


async def test_a_generation_that_was_claimed_under_just_now_is_kept(store: Store) -> None:
    """The attempt of another host may not be visible yet."""
    await store.write(lambda tx: tx.generations.keep("g1", {}, START))
    assert await prune(store, before=START) == 0
    await store.write(lambda tx: tx.generations.keep("g1", {}, LATER))
    assert await prune(store, before=LATER) == 0
    assert await prune(store, before=Millis(LATER + 1)) == 1
