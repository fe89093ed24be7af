"""Approvals of a pull request's change: they stand while the change is the same, and for nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.approvals.decide import Answer, Decided, Verb, Vote, decide, open_gate_holds
from bot.approvals.gate import NAME, details
from bot.approvals.policy import Requirement, Voter
from bot.clock import Millis
from bot.domain.hold import Hold, HoldState
from bot.domain.permission import Permission
from bot.domain.work import Instructions, Work
from bot.ids import EventId, HoldId
from bot.scheduler.gates import Held, StartHold, place_gate_hold
from bot.storage.contract import Tx
from tests.clock import START
from tests.factories import ready_work
from tests.storage.twice import Writable

ASKED = Instructions(title="Add it", body="", author="ada", revision="at-a", head="a" * 40, patch="change")
SAME = replace(ASKED, revision="at-b", head="b" * 40)
ANOTHER = replace(SAME, patch="another change")
FIRST = HoldId("hld-first")
TWO = Requirement(name="start", need=2, permission=Permission.WRITE)
BOB, CAROL = (
    Voter(id=number, login=login, permission=Permission.WRITE) for number, login in ((8, "bob"), (9, "carol"))
)


@pytest.fixture
async def work(store: Writable[Tx]) -> Work:
    """Give a Work that is held until two people have approved what it asks about."""
    opened = await ready_work(store, kind="review-pr", instructions=ASKED)
    hold = StartHold(
        reason="start: 2 people",
        revision=ASKED.revision,
        details=details((TWO,), (), head=ASKED.head),
        instructions=ASKED,
    )

    def place(tx: Tx) -> Work:
        held = Held(holder=NAME, hold=hold)
        return place_gate_hold(tx, tx.works.get(opened.id), held, hold=FIRST, event=EventId("evt-held"), now=START)

    return await store.write(place)


async def say(
    store: Writable[Tx], work: Work, voter: Voter, current: Instructions, *, verb: Verb = Verb.APPROVE, seq: int = 1_000
) -> Decided:
    source = f"{voter.login}/{current.revision}/{verb.value}"

    def change(tx: Tx) -> Decided:
        now = tx.works.get(work.id)
        (hold,) = open_gate_holds(tx, now)
        moment = Millis(START + 10 * len(tx.holds.of_work(work.id)))
        vote = Vote(
            source=source,
            seq=seq,
            said_by=moment,
            voter=voter,
            verb=verb,
            reason="no" if verb is Verb.REFUSE else "",
            current=current,
            hold=HoldId(f"hld-{source}"),
            event=EventId(f"evt-{source}"),
        )
        return decide(tx, now, hold, vote, moment)

    return await store.write(change)


async def holds(store: Writable[Tx], work: Work) -> list[Hold]:
    return list(await store.read(lambda tx: tx.holds.of_work(work.id)))


# gh-A-08
async def test_an_approval_counts_on_for_the_same_change_at_another_commit(store: Writable[Tx], work: Work) -> None:
    assert (await say(store, work, BOB, ASKED)).answer is Answer.COUNTED
    assert (await say(store, work, CAROL, SAME)).answer is Answer.ADMITTED
    before, after = await holds(store, work)
    assert (before.state, after.state, after.revision) == (HoldState.STALE, HoldState.ADMITTED, "at-b")
    assert (after.details["head"], after.details["carried"]) == (SAME.head, [FIRST])
    now = await store.read(lambda tx: tx.works.get(work.id))
    assert (now.gate_pass, now.instructions) == ("at-b", SAME)


async def test_a_decision_is_recorded_for_the_commit_that_it_was_given_on(store: Writable[Tx], work: Work) -> None:
    await say(store, work, BOB, ASKED)
    await say(store, work, CAROL, SAME)
    recorded = await store.read(lambda tx: [each for hold in tx.holds.of_work(work.id) for each in _of(tx, hold)])
    assert recorded == [("bob", "at-a"), ("carol", "at-b")]


def _of(tx: Tx, hold: Hold) -> list[tuple[str, str]]:
    return [(each.login, each.revision) for each in tx.decisions.of_hold(hold.id)]


async def test_nobody_approves_the_same_change_twice(store: Writable[Tx], work: Work) -> None:
    await say(store, work, BOB, ASKED)
    assert (await say(store, work, BOB, SAME)).answer is Answer.REPEATED
    assert (await say(store, work, CAROL, SAME)).answer is Answer.ADMITTED


async def test_the_same_change_can_move_on_again_and_again(store: Writable[Tx], work: Work) -> None:
    await say(store, work, BOB, ASKED)
    await say(store, work, BOB, SAME)
    assert (await say(store, work, CAROL, replace(ASKED, revision="at-c", head="c" * 40))).answer is Answer.ADMITTED


# gh-A-01, gh-A-04, ag-E07
@pytest.mark.parametrize("current", [ANOTHER, replace(SAME, patch="")], ids=["another", "unknown"])
async def test_another_change_is_asked_about_anew_and_nothing_counts_for_it(
    store: Writable[Tx], work: Work, current: Instructions
) -> None:
    await say(store, work, BOB, ASKED)
    assert (await say(store, work, CAROL, current)).answer is Answer.STALE
    anew = (await holds(store, work))[-1]
    assert (anew.state, anew.revision, anew.details["head"]) == (HoldState.OPEN, "at-b", current.head)
    assert (await say(store, work, CAROL, current)).answer is Answer.COUNTED


# gh-A-01: a force-push back to what was approved once is a question of its own.
async def test_what_was_approved_before_another_change_came_does_not_count_after_it(
    store: Writable[Tx], work: Work
) -> None:
    await say(store, work, BOB, ASKED)
    await say(store, work, BOB, ANOTHER)
    back = replace(ASKED, revision="at-c", head="c" * 40)
    assert (await say(store, work, CAROL, back)).answer is Answer.STALE
    assert (await say(store, work, CAROL, back)).answer is Answer.COUNTED


# gh-A-01
async def test_what_was_carried_on_does_not_count_for_another_change(store: Writable[Tx], work: Work) -> None:
    another = replace(ANOTHER, revision="at-c", head="c" * 40)
    await say(store, work, BOB, ASKED)
    await say(store, work, BOB, SAME)
    assert (await say(store, work, CAROL, another)).answer is Answer.STALE
    assert (await say(store, work, CAROL, another)).answer is Answer.COUNTED


async def test_what_was_said_before_the_question_does_not_count_for_the_same_change_either(
    store: Writable[Tx], work: Work
) -> None:
    assert (await say(store, work, BOB, SAME, seq=0)).answer is Answer.STALE
    (hold,) = await holds(store, work)
    assert hold.state is HoldState.OPEN


async def test_a_refusal_of_the_same_change_ends_it(store: Writable[Tx], work: Work) -> None:
    assert (await say(store, work, BOB, SAME, verb=Verb.REFUSE)).answer is Answer.REFUSED
    assert [hold.state for hold in await holds(store, work)] == [HoldState.STALE, HoldState.REFUSED]
