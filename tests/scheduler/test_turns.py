"""An attempt's word, published for whoever waits on it."""

from __future__ import annotations

import pytest

from bot.domain.event import Event, Routing
from bot.domain.execution import Execution
from bot.domain.result import Outcome, Result
from bot.domain.turn import COMMENT_LIMIT, Turn
from bot.domain.work import WorkState
from bot.scheduler.turns import publish_turn
from tests.scheduler.bench import Bench

DONE = Turn(status="done", comment="It is fixed.")


async def turns(bench: Bench) -> list[Event]:
    unmatched = await bench.see(lambda tx: tx.events.by_routing(Routing.UNMATCHED))
    return [event for event in unmatched if event.type == "core.execution.turn"]


async def ended(bench: Bench, execution: Execution, outcome: Outcome, turn: Turn | None = DONE) -> None:
    await bench.result(execution.fence, Result(ok=outcome is not Outcome.FAILED, turn=turn))
    await bench.finished(execution.fence, outcome)


# C-92, C-99
@pytest.mark.parametrize("word", ["done", "review", "approved", "x", "a" * 64, "needs-2nd_look"])
def test_any_word_of_the_right_shape_is_a_status(word: str) -> None:
    assert Turn(status=word).status == word


# C-92
@pytest.mark.parametrize(
    "word", ["", "Done", "2nd", "-x", "a" * 65, "in progress", "done\n", "übung", "done.", "\u0661", "\ufb01n"]
)
def test_a_word_of_another_shape_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="status"):
        Turn(status=word)


def test_a_comment_is_bounded() -> None:
    assert Turn(status="done", comment="x" * COMMENT_LIMIT).comment
    with pytest.raises(ValueError, match="comment"):
        Turn(status="done", comment="x" * (COMMENT_LIMIT + 1))


# C-93
@pytest.mark.parametrize("outcome", [Outcome.COMPLETED, Outcome.WAITING, Outcome.HANDOFF, Outcome.FAILED])
async def test_a_turn_is_published_whatever_the_outcome_is(bench: Bench, outcome: Outcome) -> None:
    execution = await bench.running()
    await ended(bench, execution, outcome)
    assert len(await turns(bench)) == 1


# C-93 (negative control)
async def test_an_end_without_a_turn_publishes_none(bench: Bench) -> None:
    execution = await bench.running()
    await ended(bench, execution, Outcome.COMPLETED, turn=None)
    assert await turns(bench) == []


# C-93, C-121
async def test_nothing_is_published_before_the_end_is_stored(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, turn=DONE))
    assert await turns(bench) == []


# C-94, C-95
async def test_there_is_one_turn_event_for_each_correlation_key(bench: Bench) -> None:
    work = await bench.ready(keys=("item:1/1", "branch:1/fix", "pr:1/9"))
    execution = await bench.run((await bench.claim(work)).execution.fence)
    await ended(bench, execution, Outcome.COMPLETED)
    events = await turns(bench)
    assert sorted(event.keys for event in events) == [("branch:1/fix",), ("item:1/1",), ("pr:1/9",)]
    for event in events:
        assert event.natural_key == f"turn/{execution.id}/1/{event.keys[0]}"
        assert event.cause == execution.trigger
        assert event.data == {
            "schema": "core.execution.turn.v1",
            "status": "done",
            "work": execution.work,
            "execution": execution.id,
        }
    found = await bench.see(lambda tx: tx.events.with_key("branch:1/fix"))
    assert [event.type for event in found] == ["core.execution.turn"]


# C-94
async def test_a_work_without_a_key_publishes_one_event_without_one(bench: Bench) -> None:
    work = await bench.ready(keys=())
    execution = await bench.run((await bench.claim(work)).execution.fence)
    await ended(bench, execution, Outcome.COMPLETED)
    (event,) = await turns(bench)
    assert (event.keys, event.natural_key) == ((), f"turn/{execution.id}/1")


# C-96
async def test_a_repeated_transition_publishes_nothing_new_and_another_epoch_does(bench: Bench) -> None:
    execution = await bench.running()
    work = await bench.work(execution.work)
    published = [await bench.do(lambda tx, now: publish_turn(tx, work, execution, DONE, now)) for _ in range(2)]
    assert published == [1, 0]
    taken = await bench.recovered(execution.id)
    assert await bench.do(lambda tx, now: publish_turn(tx, work, taken.execution, DONE, now)) == 1


# C-97, C-98
async def test_a_turn_is_input_to_nobody_and_wakes_nobody(bench: Bench) -> None:
    execution = await bench.running()
    await bench.result(execution.fence, Result(ok=True, turn=DONE))
    await bench.finished(execution.fence, Outcome.WAITING, waits=("comment", "turn", "core.execution.turn"))
    assert len(await turns(bench)) == 1
    assert await bench.pending(execution.work) == []
    assert await bench.see(lambda tx: tx.events.pending()) == []
    assert (await bench.work(execution.work)).state is WorkState.WAITING


# C-97
async def test_a_turn_does_not_hold_the_completion_up_that_publishes_it(bench: Bench) -> None:
    execution = await bench.running()
    await ended(bench, execution, Outcome.COMPLETED)
    assert (await bench.work(execution.work)).state is WorkState.COMPLETED
