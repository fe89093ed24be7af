"""Votes that are given, replaced and taken back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.approvals.decide import Answer, Verb
from bot.approvals.votes import Revoked, standing_votes
from bot.domain.hold import HoldState
from bot.domain.permission import Permission
from bot.domain.work import WorkState
from bot.storage.contract import Tx
from tests.approvals.voting import TEXT, edited, held, requirement, voter
from tests.storage.twice import Writable

TWO = requirement(need=2)
CORE = frozenset({"acme/core"})
HEAD, NEXT = "a" * 40, "b" * 40
CHANGE = replace(TEXT, revision="at-a", head=HEAD, patch="patch")


# gh-A-11
async def test_a_vote_that_was_taken_back_counts_no_more(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO)
    assert await ballot.vote(voter(1), source="comment:1/1") is Answer.COUNTED
    assert await ballot.revoke("comment:1/1") is Revoked.DONE
    assert await ballot.vote(voter(2)) is Answer.COUNTED
    assert await ballot.vote(voter(1)) is Answer.ADMITTED


# gh-A-11
async def test_a_vote_is_taken_back_once(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO)
    await ballot.vote(voter(1), source="comment:1/1")
    assert await ballot.revoke("comment:1/1") is Revoked.DONE
    assert await ballot.revoke("comment:1/1") is Revoked.ALREADY
    assert await ballot.revoke("comment:1/1/revoked") is Revoked.ALREADY
    assert await ballot.revoke("comment:1/unknown") is Revoked.ALREADY
    rows = await store.read(lambda tx: tx.decisions.of_hold((tx.holds.open(ballot.work.id))[0].id))
    assert [(row.verb, row.revokes) for row in rows] == [("approve", None), ("revoke", "comment:1/1")]


# gh-A-11
@pytest.mark.parametrize("verb", Verb)
async def test_what_was_decided_stays_when_a_vote_is_taken_back_later(store: Writable[Tx], verb: Verb) -> None:
    ballot = await held(store)
    await ballot.vote(voter(1), verb, source="comment:1/1")
    before = await ballot.hold()
    assert await ballot.revoke("comment:1/1") is Revoked.TOO_LATE
    assert await ballot.hold() == before


# ag-E07
async def test_a_vote_for_a_text_that_has_changed_need_not_be_taken_back(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO)
    await ballot.vote(voter(1), source="comment:1/1")
    ballot.text = edited(TEXT, "revision-2")
    assert await ballot.vote(voter(2)) is Answer.STALE
    assert await ballot.revoke("comment:1/1") is Revoked.ALREADY


# gh-A-08, gh-A-11
async def test_a_vote_that_was_carried_to_the_same_change_can_still_be_taken_back(store: Writable[Tx]) -> None:
    ballot = await held(store, requirement(need=3), text=CHANGE)
    await ballot.vote(voter(1), source="comment:1/1")
    ballot.text = replace(CHANGE, revision="at-b", head=NEXT)
    assert await ballot.vote(voter(2)) is Answer.COUNTED
    assert await ballot.revoke("comment:1/1") is Revoked.DONE
    hold = await ballot.hold()
    assert [vote.person for vote in await store.read(lambda tx: standing_votes(tx, hold))] == [2]
    assert await ballot.vote(voter(3)) is Answer.COUNTED
    assert await ballot.vote(voter(4)) is Answer.ADMITTED
    assert await ballot.revoke("comment:1/1") is Revoked.TOO_LATE


# gh-A-01, gh-A-04
async def test_a_review_of_another_commit_than_is_asked_about_is_out_of_date(store: Writable[Tx]) -> None:
    ballot = await held(store, text=CHANGE)
    assert await ballot.vote(voter(1), commit=NEXT) is Answer.STALE
    assert (await ballot.hold()).state is HoldState.OPEN
    assert await ballot.vote(voter(1), commit=HEAD) is Answer.ADMITTED


# gh-A-04
async def test_an_approval_covers_one_commit(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO, text=CHANGE)
    await ballot.vote(voter(1), commit=HEAD)
    ballot.text = replace(CHANGE, revision="at-b", head=NEXT, patch="another patch")
    assert await ballot.vote(voter(2), commit=NEXT) is Answer.STALE
    assert await ballot.vote(voter(2), commit=NEXT) is Answer.COUNTED
    assert await ballot.vote(voter(1), commit=NEXT) is Answer.ADMITTED


# ag-D10
async def test_the_same_person_by_comment_and_by_review_is_one_person(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO)
    assert await ballot.vote(voter(1), source="comment:1/1") is Answer.COUNTED
    assert await ballot.vote(voter(1, login="renamed"), source="review:1/2") is Answer.REPEATED
    assert await ballot.vote(voter(2), source="review:1/3") is Answer.ADMITTED


# ag-D02
async def test_who_lost_the_permission_after_their_vote_was_allowed_to_give_it_then(store: Writable[Tx]) -> None:
    ballot = await held(store, TWO)
    assert await ballot.vote(voter(1)) is Answer.COUNTED
    assert await ballot.vote(voter(1, Permission.READ)) is Answer.NOT_ALLOWED
    assert await ballot.vote(voter(2)) is Answer.ADMITTED


async def test_a_vote_keeps_the_team_that_allowed_it(store: Writable[Tx]) -> None:
    ballot = await held(store, requirement(need=2, teams=("acme/core",)))
    assert await ballot.vote(voter(1, Permission.READ, teams=CORE, asked=CORE)) is Answer.COUNTED
    assert await ballot.vote(voter(2, Permission.ADMIN, asked=CORE)) is Answer.NOT_ALLOWED
    assert await ballot.vote(voter(3, Permission.READ, teams=CORE, asked=CORE)) is Answer.ADMITTED


# gh-K-05, ag-D02
async def test_a_team_that_cannot_be_asked_for_lets_nobody_decide(store: Writable[Tx]) -> None:
    ballot = await held(store, requirement(teams=("acme/core",)))
    for verb in Verb:
        assert await ballot.vote(voter(1, Permission.ADMIN), verb) is Answer.NOT_CHECKED
    assert (await ballot.hold()).state is HoldState.OPEN


# gh-A-05, ag-E09
async def test_a_decision_on_one_hold_says_nothing_of_another(store: Writable[Tx]) -> None:
    first, second = await held(store, TWO), await held(store, TWO, number=2)
    await first.vote(voter(1), source="comment:1/1")
    assert await second.vote(voter(2), source="comment:1/2") is Answer.COUNTED
    assert {(await each.hold()).state for each in (first, second)} == {HoldState.OPEN}


# ag-E11
async def test_only_a_person_refuses_and_time_refuses_nothing(store: Writable[Tx]) -> None:
    ballot = await held(store)
    assert await ballot.vote(voter(1), Verb.REFUSE, reason="") is Answer.REASON_NEEDED
    assert (await ballot.hold()).state is HoldState.OPEN
    assert await ballot.vote(voter(1), Verb.REFUSE, reason="not now") is Answer.REFUSED
    work = await store.read(lambda tx: tx.works.get(ballot.work.id))
    assert (work.state, work.reason) == (WorkState.CANCELLED, "not now")
