"""Work, its keys and its input."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.clock import Millis
from bot.domain.work import BlockedReason, Instructions, Starter, Work, WorkState
from bot.errors import StorageError
from bot.ids import ExecutionId, WorkId
from bot.storage.contract import Tx
from bot.storage.sql import UniqueViolation
from tests.clock import START
from tests.factories import claim_one, make_work, put_event, put_place, ready_work
from tests.storage.conformance.conftest import Store

LATER = Millis(START + 1)


async def test_a_work_comes_back_as_it_was_saved(store: Store) -> None:
    work = await ready_work(store, by_label=False)
    full = replace(
        work,
        state=WorkState.EXHAUSTED,
        status="help",
        comment="§ 🙂",
        waits=("comment", "review"),
        starter=Starter(id=2**40, login="grace"),
        instructions=Instructions(title="ü", body="line\nline", author="eve", revision="r", head="5" * 40, patch="6"),
        branch="trackside/ü",
        pull_request=9,
        attempts=3,
        failures=2,
        gate_pass="revision",  # noqa: S106 - not a secret
        blocked=BlockedReason.PERMANENT_FAILURE,
        reason="it broke",
        ended_by="ada",
        usage={"usd": 0.1, "tokens": 12},
        failed_seq=4,
        ended_at=LATER,
        gone=True,
    )
    saved = await store.write(lambda tx: tx.works.save(full, LATER))
    assert saved == replace(full, updated_at=LATER, version=2)
    assert await store.read(lambda tx: tx.works.get(work.id)) == saved


async def test_a_stale_copy_is_refused(store: Store, other: Store) -> None:
    work = await ready_work(store)
    newer = await store.write(lambda tx: tx.works.save(replace(work, branch="mine"), LATER))
    with pytest.raises(StorageError, match="changed by someone else"):
        await other.write(lambda tx: tx.works.save(replace(work, branch="theirs"), LATER))
    assert await other.read(lambda tx: tx.works.get(work.id)) == newer
    assert (await other.write(lambda tx: tx.works.save(newer, LATER))).version == 3


async def test_an_unknown_work_is_an_error_to_get_and_nothing_to_find(store: Store) -> None:
    unknown = WorkId("wrk-unknown")
    with pytest.raises(StorageError, match="wrk-unknown"):
        await store.read(lambda tx: tx.works.get(unknown))
    assert await store.read(lambda tx: tx.works.find(unknown)) is None


async def test_an_item_has_at_most_one_live_work_of_a_playbook(store: Store, other: Store) -> None:
    """Also when whoever inserts it did not look before."""
    await ready_work(store)
    second = make_work(id="wrk-second", run=2)
    with pytest.raises(UniqueViolation):
        await other.write(lambda tx: tx.works.insert(second, []))
    assert await store.read(lambda tx: tx.works.find(second.id)) is None


@pytest.mark.parametrize("state", [WorkState.COMPLETED, WorkState.CANCELLED, WorkState.FAILED])
async def test_beside_a_work_that_has_ended_another_one_may_live(store: Store, state: WorkState) -> None:
    work = await ready_work(store)
    await store.write(lambda tx: tx.works.save(replace(work, state=state), LATER))
    assert await store.read(lambda tx: tx.works.live(work.item, work.playbook)) is None
    second = make_work(id="wrk-second", run=2)
    await store.write(lambda tx: tx.works.insert(second, ["k"]))
    assert await store.read(lambda tx: tx.works.live(work.item, work.playbook)) == second
    assert await store.read(lambda tx: tx.works.latest(work.item, work.playbook)) == second
    assert [each.id for each in await store.read(lambda tx: tx.works.of_item(work.item))] == [work.id, second.id]


async def test_a_run_has_one_number(store: Store) -> None:
    work = await ready_work(store)
    await store.write(lambda tx: tx.works.save(replace(work, state=WorkState.COMPLETED), LATER))
    with pytest.raises(UniqueViolation):
        await store.write(lambda tx: tx.works.insert(make_work(id="wrk-second", run=1), []))


async def test_a_work_is_found_by_each_of_its_keys_while_it_lives(store: Store) -> None:
    work = await ready_work(store, keys=("a", "b"))
    await store.write(lambda tx: tx.works.add_key(work.id, "c"))
    await store.write(lambda tx: tx.works.add_key(work.id, "c"))
    assert await store.read(lambda tx: tx.works.keys(work.id)) == ["a", "b", "c"]

    async def found(key: str) -> list[Work]:
        return list(await store.read(lambda tx: tx.works.live_by_key(key)))

    assert [await found(key) for key in "abcd"] == [[work], [work], [work], []]
    await store.write(lambda tx: tx.works.save(replace(work, state=WorkState.CANCELLED), LATER))
    assert await found("a") == []


async def test_a_saved_work_makes_its_thread_due(store: Store) -> None:
    work = await ready_work(store)
    thread = await store.read(lambda tx: tx.threads.get(work.item))
    assert thread is not None
    await store.write(lambda tx: tx.works.save(work, LATER))
    after = await store.read(lambda tx: tx.threads.get(work.item))
    assert after is not None
    assert after.wanted == thread.wanted + 1


async def test_lists_of_work_are_in_order(store: Store) -> None:
    for number in range(1, 5):
        await ready_work(store, number, created_at=Millis(START + number))
    assert [work.number for work in await store.read(lambda tx: tx.works.all_live())] == [1, 2, 3, 4]
    assert [work.number for work in await store.read(lambda tx: tx.works.recent(limit=3))] == [4, 3, 2]
    assert [work.id for work in await store.read(lambda tx: tx.works.ready(limit=3))] == [
        f"wrk-1-{number}" for number in (1, 2, 3)
    ]


async def test_a_work_belongs_to_an_item_and_a_scope_that_exist(store: Store) -> None:
    with pytest.raises(StorageError):
        await store.write(lambda tx: tx.works.insert(make_work(), []))
    await store.write(put_place)
    await store.write(lambda tx: tx.works.insert(make_work(), []))


async def test_an_event_is_queued_once_for_a_work(store: Store, other: Store) -> None:
    work = await ready_work(store)
    event = await store.write(lambda tx: put_event(tx, "said", now=START))
    assert await store.write(lambda tx: tx.inputs.add(work.id, event, kind="comment", author="ada", body="hm"))
    assert not await other.write(lambda tx: tx.inputs.add(work.id, event, kind="other"))
    first, second = await store.read(lambda tx: tx.inputs.pending(work.id))
    assert first.seq < second.seq
    assert (second.event, second.kind, second.author, second.body) == (event.id, "comment", "ada", "hm")


# C-09
async def test_input_is_consumed_once_and_stays_history_when_it_is_restored(store: Store) -> None:
    claimed = await claim_one(store, (await ready_work(store)).id, now=START)
    work, execution, (entry,) = claimed.work.id, claimed.execution.id, claimed.inputs
    with pytest.raises(StorageError, match="not pending"):
        await store.write(lambda tx: tx.inputs.consume(entry, ExecutionId("exe-other")))
    assert await store.read(lambda tx: tx.inputs.pending(work)) == []
    await store.write(lambda tx: tx.inputs.restore(execution))
    assert await store.read(lambda tx: tx.inputs.pending(work)) == [entry]
    assert await store.read(lambda tx: tx.inputs.of_execution(work, execution)) == [entry]
    await store.write(lambda tx: tx.inputs.drop(work))
    assert await store.read(lambda tx: tx.inputs.pending(work)) == []
    assert await store.read(lambda tx: tx.inputs.of_execution(work, execution)) == [entry]


async def test_pending_input_of_one_kind_is_discarded_and_what_was_consumed_stays_history(store: Store) -> None:
    claimed = await claim_one(store, (await ready_work(store)).id, now=START)
    work, execution, (entry,) = claimed.work.id, claimed.execution.id, claimed.inputs

    def change(tx: Tx) -> None:
        for kind in ("checks", "comment"):
            tx.inputs.add(work, put_event(tx, kind, now=START), kind=kind)
        tx.inputs.restore(execution)
        for kind in ("checks", entry.kind):
            tx.inputs.discard(work, kind)

    await store.write(change)

    assert [each.kind for each in await store.read(lambda tx: tx.inputs.pending(work))] == ["comment"]
    assert await store.read(lambda tx: tx.inputs.of_execution(work, execution)) == [entry]
