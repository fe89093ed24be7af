"""Whatever people do in whatever order: a hold ends as the rules say, and what counted was allowed and still meant."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.approvals.decide import Answer, Verb
from bot.approvals.votes import Revoked
from bot.domain.hold import HoldState
from bot.domain.permission import Permission
from bot.storage.contract import Tx
from tests.approvals.voting import TEXT, edited, held, requirement, voter
from tests.storage.twice import Writable

PEOPLE = range(1, 5)
STEPS = st.one_of(
    st.tuples(st.just("approve"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("take back"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("refuse"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("promote or demote"), st.sampled_from(PEOPLE)),
    st.tuples(st.just("edit"), st.just(0)),
)


@dataclass(kw_only=True)
class Model:
    """What should be: ``votes`` are sources by person, ``asked`` and ``text`` the revisions asked about and live."""

    need: int
    asked: str = TEXT.revision
    text: str = TEXT.revision
    votes: dict[int, str] = field(default_factory=dict)
    writers: set[int] = field(default_factory=lambda: set(PEOPLE))
    state: HoldState = HoldState.OPEN

    def decide(self, person: int, verb: Verb, source: str) -> Answer:
        if person not in self.writers:
            return Answer.NOT_ALLOWED
        if self.asked != self.text:
            self.asked, self.votes = self.text, {}
            return Answer.STALE
        if verb is Verb.REFUSE:
            self.state = HoldState.REFUSED
            return Answer.REFUSED
        if person in self.votes:
            return Answer.REPEATED
        self.votes[person] = source
        if len(self.votes) < self.need:
            return Answer.COUNTED
        self.state = HoldState.ADMITTED
        return Answer.ADMITTED

    def take_back(self, person: int) -> Revoked:
        if self.votes.pop(person, None) is None:
            return Revoked.ALREADY
        return Revoked.DONE


@pytest.fixture
def numbers() -> Iterator[int]:
    return itertools.count(1)


# gh-A-03, gh-A-11, ag-D10, ag-E07
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(need=st.integers(1, 3), steps=st.lists(STEPS, min_size=1, max_size=12))
async def test_every_order_of_what_people_do_ends_as_the_rules_say(
    store: Writable[Tx], numbers: Iterator[int], need: int, steps: list[tuple[str, int]]
) -> None:
    ballot, model = await held(store, requirement(need=need), number=next(numbers)), Model(need=need)
    for place, (step, person) in enumerate(steps):
        source = f"comment:{ballot.work.id}/{place}"
        access = Permission.WRITE if person in model.writers else Permission.READ
        match step:
            case "approve" | "refuse":
                verb = Verb(step)
                assert await ballot.vote(voter(person, access), verb, source=source) is model.decide(
                    person, verb, source
                )
            case "take back":
                given_by = model.votes.get(person, "comment:none")
                assert await ballot.revoke(given_by) is model.take_back(person)
            case "promote or demote":
                model.writers ^= {person}
            case _:
                model.text = f"revision-{place + 2}"
                ballot.text = edited(TEXT, model.text)
        hold = await ballot.hold()
        assert (hold.state, hold.revision) == (model.state, model.asked)
        if model.state is not HoldState.OPEN:
            work = await store.read(lambda tx: tx.works.get(ballot.work.id))
            assert work.gate_pass == (model.asked if model.state is HoldState.ADMITTED else None)
            break
