"""Whether a vote by review is still given, as all reviews of the pull request tell now."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bot.clock import Millis
from bot.trackers.contract import Person, Review, Verdict
from webhooks.handlers.still_said import opinion

PEOPLE = (1, 2, 3)
GIVEN = st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(Verdict)), max_size=30)


def reviews(given_in_turn: list[tuple[int, Verdict]]) -> list[Review]:
    return [
        Review(
            id=place + 1,
            number=7,
            body="",
            author=Person(id=person, login=f"person-{person}"),
            verdict=verdict,
            commit="a" * 40,
            # The tracker tells whole seconds, so that several can have the same.
            submitted_at=Millis(place // 3 * 1000),
        )
        for place, (person, verdict) in enumerate(given_in_turn)
    ]


# gh-A-07
@given(given_in_turn=GIVEN, shuffled=st.randoms(use_true_random=False))
def test_the_newest_review_that_decides_is_what_a_person_says(
    given_in_turn: list[tuple[int, Verdict]], shuffled: Random
) -> None:
    expected = {person: verdict for person, verdict in given_in_turn if verdict is not Verdict.COMMENTED}
    listed = reviews(given_in_turn)
    shuffled.shuffle(listed)
    assert {person: opinion(listed, person) for person in PEOPLE} == {person: expected.get(person) for person in PEOPLE}


# gh-A-17
def test_a_decisive_review_counts_however_many_stand_before_it() -> None:
    many = [(1, Verdict.APPROVED), *[(2, Verdict.COMMENTED)] * 248, (1, Verdict.CHANGES_REQUESTED)]
    assert opinion(reviews(many), 1) is Verdict.CHANGES_REQUESTED
